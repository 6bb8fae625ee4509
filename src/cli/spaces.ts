import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import type { PutSpace, Space } from '../../packages/client/src/index.ts';
import { spacePresetNames } from '../domain/spaces/space-config.ts';
import { connect } from './client.ts';
import { changeOptions, ifMatchOption } from './memories/options.ts';
import { wholeNumber } from './option-values.ts';
import { printable, printJson, table } from './output.ts';

interface ConfigureOptions {
  readonly preset?: PutSpace['preset'];
  readonly set?: readonly string[];
  readonly config?: string;
  readonly ifMatch?: string;
}

export function spacesCommand(): Command {
  const command = new Command('spaces').description(
    'Show and configure spaces: what enters them, how long it stays, what it may cost and how it ranks',
  );
  command.command('list').description('List the spaces with what they hold').action(list);
  command.command('show').description('Print a space').argument('<space>').action(show);
  command
    .command('stats')
    .description('Print the figures of a space, and what its retention would delete now')
    .argument('<space>')
    .option('--retention-days <days>', 'show what this retention would delete', wholeNumber)
    .action(stats);
  command
    .command('configure')
    .description('Configure a space: with a preset, with fields, or with a file. Other settings stay')
    .argument('<space>')
    .addOption(new Option('--preset <preset>', 'begin from a preset').choices(spacePresetNames))
    .option('--set <field=value...>', 'set a field, such as retentionDays=30; null brings back the default')
    .option('--config <file>', 'set the fields of a JSON file, such as a metadataSchema')
    .addOption(ifMatchOption('space'))
    .action(configure);
  command
    .command('delete')
    .description('Remove the configuration of a space without memories')
    .argument('<space>')
    .option('--detach', 'the space may have memories: they lose its label')
    .action(remove);
  command
    .command('strict')
    .description('Set whether memories may name spaces that nobody configured')
    .addArgument(command.createArgument('<state>', 'on: they may not').choices(['on', 'off']))
    .action(strict);
  return command;
}

async function list(_: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const spaces = await client.spaces.list();
  if (json) return printJson(spaces);
  if (spaces.items.length === 0) return console.log('no spaces yet: stratalog spaces configure <space>');
  const rows = spaces.items.map(({ id, configured, usage, maxSizeMb, retentionDays }) => [
    printable(id),
    configured ? 'yes' : 'no',
    String(usage.memories),
    maxSizeMb === undefined ? String(usage.bytes) : `${usage.bytes} of ${maxSizeMb * 1e6}`,
    retentionDays === undefined ? '' : `${retentionDays} days`,
  ]);
  console.log(table([['space', 'configured', 'memories', 'bytes', 'retention'], ...rows]));
}

async function show(id: string, _: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  print(await client.spaces.get(id), json);
}

async function stats(
  id: string,
  { retentionDays }: { readonly retentionDays?: number },
  command: Command,
): Promise<void> {
  const { client, json } = connect(command);
  const figures = await client.spaces.stats(id, { retentionDays });
  if (json) return printJson(figures);
  const { total, quota, retention, kept, expiring, access, oldestAt, newestAt, nextExpiryAt } = figures;
  const until = nextExpiryAt === undefined ? '' : `, the next at ${nextExpiryAt}`;
  const lines = [
    `memories: ${total.active} active, ${total.archived} archived, ${total.deleted} deleted`,
    `bytes: ${total.bytes}${quota ? ` of ${quota.limitBytes}` : ''}`,
    ...(oldestAt === undefined ? [] : [`stored: ${oldestAt} to ${newestAt}`]),
    `kept: ${kept}; expiring: ${expiring}${until}`,
    `used: ${access.memories} memories, ${access.total} times; never: ${access.neverUsed}`,
    ...(retention
      ? [
          `a retention of ${retention.days} days deletes ${retention.memories} memories, ${retention.bytes} bytes`,
        ]
      : []),
  ];
  console.log(lines.join('\n'));
}

async function configure(id: string, options: ConfigureOptions, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const fields = { ...(await fileOf(command, options.config)), ...assignments(command, options.set ?? []) };
  const { preset } = options;
  const settings = changeOptions(options);
  const answer = await (preset === undefined
    ? client.spaces.update(id, fields, settings)
    : client.spaces.put(id, { preset, ...fields }, settings));
  print(answer.space, json);
}

async function remove(
  id: string,
  { detach }: { readonly detach?: boolean },
  command: Command,
): Promise<void> {
  const { client, json } = connect(command);
  const answer = await client.spaces.delete(id, detach ? { memories: 'detach' } : {});
  if (json) return printJson(answer);
  console.log(`${id} has no configuration any more${detach ? ', and its memories lose the label now' : ''}`);
}

async function strict(state: string, _: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const answer = await client.spaces.configure({ strict: state === 'on' });
  if (json) return printJson(answer);
  console.log(answer.strict ? 'memories may name configured spaces only' : 'memories may name any space');
}

function print(space: Space, json: boolean): void {
  if (json) return printJson(space);
  const { usage, ...fields } = space;
  for (const [field, value] of Object.entries(fields))
    console.log(`${field}: ${printable(typeof value === 'string' ? value : JSON.stringify(value))}`);
  const { spentTodayUsd: today, spentThisMonthUsd: month, exhaustedUntil } = usage;
  console.log(`usage: ${usage.memories} memories, ${usage.bytes} bytes`);
  if (today !== undefined && month !== undefined) console.log(`spent: $${today} today, $${month} this month`);
  if (exhaustedUntil !== undefined) console.log(`budget used up until ${exhaustedUntil}`);
}

async function fileOf(command: Command, file: string | undefined): Promise<object> {
  if (file === undefined) return {};
  try {
    return JSON.parse(await readFile(file, 'utf8')) as object;
  } catch (error) {
    return command.error(`error: --config: ${(error as Error).message}`);
  }
}

/** `field=value` with the value as JSON, or as text if it is none. */
function assignments(command: Command, set: readonly string[]): object {
  return Object.fromEntries(
    set.map((each) => {
      const at = each.indexOf('=');
      if (at < 1) return command.error(`error: --set: ${each} is not field=value`);
      return [each.slice(0, at), valueOf(each.slice(at + 1))];
    }),
  );
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
