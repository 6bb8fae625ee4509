import { Command } from 'commander';
import { connect } from '../client.ts';
import { printJson } from '../output.ts';
import { changeOptions, ifMatchOption, reasonOption } from './options.ts';

interface ArchiveOptions {
  readonly ifMatch?: string;
  readonly reason?: string;
}

export function archiveCommand(): Command {
  const description = 'Archive a memory: searches, contexts and summaries no longer show it';
  return changing('archive', description, 'archived');
}

export function unarchiveCommand(): Command {
  return changing('unarchive', 'Make an archived memory active again', 'active');
}

function changing(verb: 'archive' | 'unarchive', description: string, after: string): Command {
  return new Command(verb)
    .description(description)
    .argument('<id>')
    .addOption(ifMatchOption())
    .addOption(reasonOption())
    .action(async (id: string, options: ArchiveOptions, command: Command) => {
      const { client, json } = connect(command);
      const answer = await client.memories[verb](id, changeOptions(options));
      if (json) return printJson(answer);
      console.log(`${id} is ${after}`);
    });
}
