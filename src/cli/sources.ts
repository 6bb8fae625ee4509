import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import type { PutSource, Source, Stratalog } from '../../packages/client/src/index.ts';
import { connect } from './client.ts';
import { changeOptions, ifMatchOption } from './memories/options.ts';
import { printable, printJson, table } from './output.ts';
import { scopeOf, withScopeOptions, type ScopeOptions } from './scope-options.ts';

/** Repeats the types of the domain, whose module is not imported because it loads the schema library. */
const types = [
  'rss',
  'arxiv',
  'page',
  'sitemap',
  'directory',
] as const satisfies readonly PutSource['type'][];

interface ConfigureOptions extends ScopeOptions {
  readonly type?: PutSource['type'];
  readonly from?: string;
  readonly schedule?: string;
  readonly layer?: PutSource['layer'];
  readonly space?: string[];
  readonly tag?: string[];
  readonly state?: 'on' | 'off';
  readonly ifMatch?: string;
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

export function sourcesCommand(): Command {
  const command = new Command('sources').description(
    'Show and configure sources: feeds, pages, sitemaps and folders that the server reads on a schedule',
  );
  command.command('list').description('List the sources with their last and next runs').action(list);
  command.command('show').description('Print a source').argument('<source>').action(show);
  const configuring = command
    .command('configure')
    .description('Configure a source. Without --type it must exist, and what is not named stays')
    .argument('<source>')
    .addOption(new Option('--type <type>', 'what is read').choices(types))
    .option('--from <location>', 'address of a feed, page or sitemap, or folder of the server')
    .option('--schedule <schedule>', 'when it is read, in UTC: @hourly to @quarterly, or a cron pattern')
    .option('--layer <layer>', 'layer of the memories')
    .option('--space <space>', 'space of the memories; may be repeated', collect)
    .option('--tag <tag>', 'tag of the memories; may be repeated', collect)
    .addOption(new Option('--state <state>', 'off: its schedule does not count').choices(['on', 'off']))
    .addOption(ifMatchOption('source'));
  withScopeOptions(configuring, 'the memories').action(configure);
  command
    .command('run')
    .description('Read a source now')
    .argument('<source>')
    .option('--wait', 'wait until it was read')
    .action(run);
  command
    .command('delete')
    .description('Remove a source; its documents stay')
    .argument('<source>')
    .action(remove);
  return command;
}

async function list(_: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const sources = await client.sources.list();
  if (json) return printJson(sources);
  if (sources.items.length === 0) return console.log('no sources yet: stratalog sources configure <source>');
  const rows = sources.items.map(({ id, type, schedule, state, lastRun, nextRun }) => [
    printable(id),
    type,
    printable(schedule),
    state,
    lastRun?.at ?? '',
    nextRun ?? '',
  ]);
  console.log(table([['source', 'type', 'schedule', 'state', 'last run', 'next run'], ...rows]));
}

async function show(id: string, _: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  print(await client.sources.get(id), json);
}

async function configure(id: string, options: ConfigureOptions, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const { type, from, schedule, layer, space: spaces, tag: tags, state } = options;
  const scope = scopeOf(options);
  const enabled = state === undefined ? undefined : state === 'on';
  const fields = { ...locationOf(from), spaces, tags, enabled, scope };
  const settings = changeOptions(options);
  if (type === undefined) {
    const answer = await client.sources.update(id, { ...fields, schedule, layer }, settings);
    return print(answer.source, json);
  }
  if (schedule === undefined || layer === undefined)
    return command.error('error: --type needs --schedule and --layer, too');
  const answer = await client.sources.put(id, { ...fields, type, schedule, layer }, settings);
  print(answer.source, json);
}

/** What has a scheme is an address; anything else is a folder. */
function locationOf(from: string | undefined): Pick<PutSource, 'url' | 'path'> {
  if (from === undefined) return {};
  return /^[a-z][a-z+.-]+:\/\//i.test(from) ? { url: from } : { path: from };
}

async function run(id: string, { wait }: { readonly wait?: true }, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const before = (await client.sources.get(id)).lastRun?.at;
  const { source } = await client.sources.run(id);
  if (!wait) return print(source, json);
  const read = await untilRun(client, id, before);
  print(read, json);
  if (read.lastRun?.problem) process.exitCode = 1;
}

const pollMs = 500;

async function untilRun(client: Stratalog, id: string, before: string | undefined): Promise<Source> {
  for (;;) {
    const source = await client.sources.get(id);
    if (source.lastRun?.at !== before && source.state !== 'due') return source;
    await sleep(pollMs);
  }
}

async function remove(id: string, _: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const answer = await client.sources.delete(id);
  if (json) return printJson(answer);
  console.log(`${printable(id)} is not read any more; its documents stay`);
}

function print(source: Source, json: boolean): void {
  if (json) return printJson(source);
  const { lastRun, ...fields } = source;
  for (const [field, value] of Object.entries(fields))
    console.log(`${field}: ${printable(typeof value === 'string' ? value : JSON.stringify(value))}`);
  if (!lastRun) return;
  const { at, problem, ...counts } = lastRun;
  const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  console.log(`last run: ${at}, ${figures.join(', ')}`);
  if (problem) console.log(`problem: ${problem.code}: ${printable(problem.detail)}`);
}
