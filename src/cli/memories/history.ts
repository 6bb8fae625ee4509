import { Command } from 'commander';
import { connect } from '../client.ts';
import { printJson } from '../output.ts';
import { versionText } from './show-history.ts';

export function historyCommand(): Command {
  return new Command('history')
    .description('Show every version of a memory: who changed what, when and why')
    .argument('<id>')
    .action(async (id: string, _, own: Command) => {
      const { client, json } = connect(own);
      const versions = await client.memories.history(id).toArray();
      if (json) return printJson(versions);
      for (const version of versions) console.log(versionText(version));
    });
}
