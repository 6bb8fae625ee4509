import { Command } from 'commander';
import { connect } from '../client.ts';
import { printJson } from '../output.ts';
import { changeOptions, ifMatchOption, reasonOption } from './options.ts';

interface ArchiveOptions {
  readonly ifMatch?: string;
  readonly reason?: string;
}

export function archiveCommand(): Command {
  return changing('archive', 'Archive a memory: searches, contexts and summaries no longer show it')
    .addOption(ifMatchOption())
    .addOption(reasonOption())
    .action(async (id: string, options: ArchiveOptions, command: Command) => {
      const { client, json } = connect(command);
      const answer = await client.memories.archive(id, changeOptions(options));
      if (json) return printJson(answer);
      console.log(`${id} is archived`);
    });
}

export function unarchiveCommand(): Command {
  return changing('unarchive', 'Make an archived memory active again')
    .addOption(ifMatchOption())
    .addOption(reasonOption())
    .action(async (id: string, options: ArchiveOptions, command: Command) => {
      const { client, json } = connect(command);
      const answer = await client.memories.unarchive(id, changeOptions(options));
      if (json) return printJson(answer);
      console.log(`${id} is active`);
    });
}

function changing(name: string, description: string): Command {
  return new Command(name).description(description).argument('<id>');
}
