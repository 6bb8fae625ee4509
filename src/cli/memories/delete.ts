import { Command } from 'commander';
import { connect } from '../client.ts';
import { immediatelyOption } from '../erase.ts';
import { printJson } from '../output.ts';
import { changeOptions, ifMatchOption, reasonOption } from './options.ts';

interface DeleteOptions {
  readonly erase?: boolean;
  readonly ifMatch?: string;
  readonly reason?: string;
  readonly immediately?: boolean;
}

export function deleteCommand(): Command {
  return new Command('delete')
    .description('Delete a memory. It can be restored for 30 days, unless it is erased')
    .argument('<id>')
    .option('--erase', 'destroy the content of the memory forever; needs the role admin')
    .addOption(immediatelyOption())
    .addOption(ifMatchOption())
    .addOption(reasonOption())
    .action(async (id: string, options: DeleteOptions, command: Command) => {
      const { client, json } = connect(command);
      const settings = changeOptions(options);
      if (options.erase) {
        const erased = await client.memories.erase(id, {
          ...settings,
          ...(options.immediately && { files: 'immediately' }),
        });
        if (json) return printJson(erased);
        return console.log(`${id} is erased. Receipt: stratalog erasures get ${erased.receipt}`);
      }
      const answer = await client.memories.delete(id, settings);
      if (json) return printJson(answer);
      const { retentionUntil } = answer.memory;
      console.log(
        `${id} is deleted${retentionUntil === undefined ? '' : ` and can be restored until ${retentionUntil}`}`,
      );
    });
}
