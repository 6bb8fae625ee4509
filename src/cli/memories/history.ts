import { Command } from 'commander';
import { allOf, connectionOf } from '../client.ts';
import { printJson } from '../output.ts';
import { pathOf } from './memory.ts';
import { versionText, type Version } from './show-history.ts';

export function historyCommand(): Command {
  return new Command('history')
    .description('Show every version of a memory: who, when, why, what')
    .argument('<id>')
    .action(async (id: string, _, own: Command) => {
      const connection = connectionOf(own);
      const versions: Version[] = [];
      for await (const version of allOf<Version>(connection, `${pathOf(id)}/history`)) versions.push(version);
      if (connection.json) return printJson(versions);
      for (const version of versions) console.log(versionText(version));
    });
}
