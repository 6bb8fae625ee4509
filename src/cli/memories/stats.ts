import { Command } from 'commander';
import { call, connectionOf } from '../client.ts';
import { printJson } from '../output.ts';
import { statsText, type Stats } from './show-stats.ts';

export function statsCommand(): Command {
  return new Command('stats')
    .description('Show how many memories there are, how large they are, and how they are used')
    .action(async (_, own: Command) => {
      const connection = connectionOf(own);
      const stats = await call<Stats>(connection, '/v1/stats');
      if (connection.json) return printJson(stats);
      console.log(statsText(stats));
    });
}
