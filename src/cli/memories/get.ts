import { Command } from 'commander';
import { connect } from '../client.ts';
import { printJson } from '../output.ts';
import { assertPositionOrTime } from '../positions.ts';
import { memoryText } from './show.ts';

export function getCommand(): Command {
  return new Command('get')
    .description('Show a memory')
    .argument('<id>')
    .option('--as-of <when>', 'show the memory as it was at a position or an RFC 3339 time with an offset')
    .action(async (id: string, { asOf }: { asOf?: string }, command: Command) => {
      const { client, json } = connect(command);
      if (asOf !== undefined) await assertPositionOrTime(command, '--as-of <when>', asOf);
      const memory = await client.memories.get(id, { asOf });
      if (json) return printJson(memory);
      console.log(memoryText(memory));
    });
}
