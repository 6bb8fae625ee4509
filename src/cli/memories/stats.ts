import { Command } from 'commander';
import { connect } from '../client.ts';
import { printJson } from '../output.ts';
import { statsText } from './show-stats.ts';

export function statsCommand(): Command {
  return new Command('stats')
    .description('Show how many memories there are, how large they are, and how they are used')
    .action(async (_, own: Command) => {
      const { client, json } = connect(own);
      const stats = await client.stats();
      if (json) return printJson(stats);
      console.log(statsText(stats));
    });
}
