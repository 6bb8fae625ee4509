import { Command } from 'commander';
import { call, connectionOf } from '../client.ts';
import { printJson } from '../output.ts';
import { pathOf, type MemoryAnswer } from './memory.ts';
import { commandHeaders, ifMatchOption, reasonOption } from './options.ts';

interface DeleteOptions {
  readonly erase?: boolean;
  readonly ifMatch?: string;
  readonly reason?: string;
}

export function deleteCommand(): Command {
  return new Command('delete')
    .description('Delete a memory. It can be restored for 30 days, unless it is erased')
    .argument('<id>')
    .option('--erase', 'destroy its content for good; needs the role admin')
    .addOption(ifMatchOption())
    .addOption(reasonOption())
    .action(async (id: string, options: DeleteOptions, own: Command) => {
      const connection = connectionOf(own);
      const answer = await call<MemoryAnswer>(
        connection,
        `${pathOf(id)}${options.erase ? '?mode=erase' : ''}`,
        {
          method: 'DELETE',
          headers: commandHeaders(options),
        },
      );
      if (connection.json) return printJson(answer);
      const { retentionUntil } = answer.memory;
      console.log(
        options.erase
          ? `${id} is erased`
          : `${id} is deleted${retentionUntil === undefined ? '' : ` and can be restored until ${retentionUntil}`}`,
      );
    });
}
