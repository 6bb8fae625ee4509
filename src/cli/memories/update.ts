import type { Command } from 'commander';
import { ArgumentAmongOptions } from '../argument-among-options.ts';
import { connect } from '../client.ts';
import { printJson } from '../output.ts';
import { readContent } from './content.ts';
import {
  changeOptions,
  ifMatchOption,
  lifetimeOf,
  withChangeOptions,
  type ChangeOptions,
} from './options.ts';

interface UpdateOptions extends ChangeOptions {
  readonly ifMatch?: string;
}

export function updateCommand(): Command {
  const command = new ArgumentAmongOptions('update')
    .description(
      'Change a memory. Tags and spaces replace the old ones; metadata is merged, and null removes a key',
    )
    .argument('<id>')
    .argument('[content]', 'new content; - is standard input');
  return withChangeOptions(command)
    .addOption(ifMatchOption())
    .action(async (id: string, argument: string | undefined, options: UpdateOptions, command: Command) => {
      const { client, json } = connect(command);
      const content = await readContent(command, { argument, file: options.file });
      const { tag: tags, space: spaces, metadata } = options;
      const body = { content, tags, spaces, metadata, ...lifetimeOf(options) };
      if (Object.values(body).every((value) => value === undefined))
        command.error(
          'error: nothing to change: give a content, --file, --tag, --space, --metadata, --expires-at or --keep',
        );
      const answer = await client.memories.update(id, body, changeOptions(options));
      if (json) return printJson(answer);
      console.log(`${id} is at revision ${answer.memory.revision}`);
    });
}
