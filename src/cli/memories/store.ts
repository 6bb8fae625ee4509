import { styleText } from 'node:util';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { ArgumentAmongOptions } from '../argument-among-options.ts';
import type { StoreMemory } from '../../../packages/client/src/index.ts';
import { connect } from '../client.ts';
import { printable, printJson } from '../output.ts';
import { scopeOf, withScopeOptions, type ScopeOptions } from '../scope-options.ts';
import { requireContent } from './content.ts';
import { changeOptions, lifetimeOf, withChangeOptions, type ChangeOptions } from './options.ts';

interface StoreOptions extends ChangeOptions, ScopeOptions {
  readonly layer?: StoreMemory['layer'];
  readonly externalId?: string;
  readonly upsert?: boolean;
  readonly occurredAt?: string;
  readonly subject?: string;
  readonly idempotencyKey?: string;
  readonly onConflict?: StoreMemory['onConflict'];
}

function visibleAscii(text: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(text))
    throw new InvalidArgumentError('It must be 1 to 255 visible ASCII characters without spaces.');
  return text;
}

export function storeCommand(): Command {
  const command = new ArgumentAmongOptions('store')
    .description('Store a memory')
    .argument('[content]', 'content of the memory; - or no content reads standard input')
    .option('--layer <layer>', 'layer of the memory (default: user)');
  return withChangeOptions(withScopeOptions(command, 'the memory'))
    .option('--external-id <id>', 'your own id for the memory, unique in the tenant')
    .addOption(new Option('--upsert', 'replace the memory that has this external id, if there is one'))
    .option('--occurred-at <time>', 'time at which it happened, RFC 3339')
    .option('--subject <subject>', 'person that the memory is about; default: the user in its scope')
    .addOption(
      new Option(
        '--on-conflict <mode>',
        'ignore, report or supersede the memories that it contradicts, supersedes or duplicates',
      ).choices(['ignore', 'report', 'supersede']),
    )
    .option(
      '--idempotency-key <key>',
      'store the memory only once, even if the command is repeated with this key',
      visibleAscii,
    )
    .action(async (argument: string | undefined, options: StoreOptions, command: Command) => {
      const { client, json } = connect(command);
      const { externalId, upsert = false, idempotencyKey } = options;
      if (upsert && externalId === undefined) command.error('error: --upsert needs --external-id');
      const content = await requireContent(command, { argument, file: options.file });
      const { layer, space: spaces, tag: tags, metadata, occurredAt, subject, onConflict } = options;
      const fields = { layer, scope: scopeOf(options), spaces, tags, metadata, occurredAt, subject };
      const { expiresAt, retention } = lifetimeOf(options);
      const stays = { expiresAt: expiresAt ?? undefined, retention: retention ?? undefined };
      const body = { content, ...fields, ...stays, onConflict };
      const settings = { ...changeOptions(options), idempotencyKey };
      const answer = upsert
        ? await client.memories.put(externalId!, body, settings)
        : await client.memories.store({ ...body, externalId }, settings);
      if (json) return printJson(answer);
      const { id, revision } = answer.memory;
      const told = answer.duplicate ? 'said this already, and was told again' : 'is stored';
      console.log(`${id} ${told}${revision > 0 ? `, revision ${revision}` : ''}`);
      for (const { id: other, kind, reason, confidence } of answer.conflicts ?? [])
        console.log(`It ${kind} ${other} (confidence ${confidence.toFixed(2)})\n  ${printable(reason)}`);
      for (const { detail } of answer.warnings ?? []) console.error(styleText('yellow', `Note: ${detail}`));
    });
}
