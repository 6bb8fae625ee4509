import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import type { Summary, SummarySettings } from '../../packages/client/src/index.ts';
import type { Layer } from '../domain/layers.ts';
import type { Depth } from '../domain/summaries/depths.ts';
import { connect } from './client.ts';
import { settingAfter, wholeNumber } from './option-values.ts';
import { printJson, printable, printableLines } from './output.ts';
import { askedAsOf } from './positions.ts';
import { scopeOf, withScopeOptions, type ScopeOptions } from './scope-options.ts';

/** Repeats the layers of the domain, whose modules are not imported because they load the schema library. */
const layers = [
  'agent',
  'user',
  'session',
  'project',
  'team',
  'org',
  'company',
] as const satisfies readonly Layer[];
const depths = ['sentence', 'paragraph', 'detailed'] as const satisfies readonly Depth[];

interface ShowOptions extends ScopeOptions {
  readonly layer?: Layer;
  readonly depth?: Depth;
  readonly query?: string;
  readonly asOf?: string;
}

interface RefreshOptions extends ScopeOptions {
  readonly layer: Layer;
  readonly depth?: Depth[];
}

interface ConfigureOptions {
  readonly layer: Layer;
  readonly depth?: Depth[];
  readonly interval?: number | false;
  readonly changes?: number | false;
  readonly maxAge?: number | false;
  readonly skipUnchanged?: boolean;
  readonly personalized?: boolean;
  readonly model?: string | false;
}

export function summariesCommand(): Command {
  const command = new Command('summaries').description('Read, refresh and configure the summaries of layers');
  withScopeOptions(
    command
      .command('show')
      .description('Print the summaries that the caller can see, the most specific layer first')
      .addOption(layerOption())
      .addOption(new Option('--depth <depth>', 'only this depth').choices(depths))
      .option('--query <text>', 'a question; each summary shows how relevant it is')
      .option('--as-of <when>', 'the summaries of a position or an RFC 3339 time with an offset'),
    'the summaries',
  ).action(show);
  withScopeOptions(
    command
      .command('refresh')
      .description('Have the summaries of a scope made anew')
      .addOption(layerOption().makeOptionMandatory())
      .addOption(new Option('--depth <depth...>', 'only these depths (repeatable)').choices(depths)),
    'the summaries',
  ).action(refresh);
  command
    .command('configure')
    .description('Show when the summaries of a layer are made, or change what the options name')
    .addOption(layerOption().makeOptionMandatory())
    .addOption(new Option('--depth <depth...>', 'the depths that are made (repeatable)').choices(depths))
    .option('--interval <seconds>', 'make them anew after this time', wholeNumber)
    .option('--no-interval', 'not by time')
    .option('--changes <number>', 'make them anew after this many changes', wholeNumber)
    .option('--no-changes', 'not by changes')
    .option('--max-age <seconds>', 'call older ones stale', wholeNumber)
    .option('--no-max-age', 'none is too old')
    .option('--skip-unchanged', 'do not make them anew while the scope holds the same')
    .option('--no-skip-unchanged', 'make them anew all the same')
    .option('--personalized', 'with variants for single users')
    .option('--no-personalized', 'for everybody alone')
    .option('--model <name>', 'the language model that writes them; extractive-1 for none')
    .option('--no-model', 'the configured language model, if any')
    .action(configure);
  return command;
}

const layerOption = (): Option => new Option('--layer <layer>', 'the layer').choices(layers);

async function show(options: ShowOptions, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const { layer, depth, query } = options;
  const past = await askedAsOf(command, options.asOf);
  const asked = { layer, depth, query, scope: scopeOf(options), ...past };
  const summaries = await client.summaries.list(asked).toArray();
  if (json) return printJson(summaries);
  for (const summary of summaries) {
    console.log(styleText('bold', titleOf(summary)));
    console.log(`${printableLines(summary.content)}\n`);
  }
  if (summaries.length === 0)
    console.error('There are no summaries here yet: "stratalog summaries refresh" makes them.');
}

function titleOf({ layer, scope, depth, tokenCount, freshness, relevance }: Summary): string {
  const identifiers = Object.values(scope).map((id) => printable(id));
  const notes = [
    `${tokenCount} tokens`,
    ...(relevance === undefined ? [] : [`relevance ${relevance.toFixed(2)}`]),
    ...(freshness.stale ? [`stale: ${freshness.reason}`] : []),
  ];
  return `${[layer, ...identifiers].join(' ')} · ${depth} (${notes.join(', ')})`;
}

async function refresh(options: RefreshOptions, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const { layer, depth } = options;
  const requested = await client.summaries.refresh({ layer, scope: scopeOf(options), depths: depth });
  if (json) return printJson(requested);
  console.log('They will be made; "stratalog summaries show" prints them.');
}

async function configure(options: ConfigureOptions, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const { layer, ...wanted } = options;
  const { settings: before } = await client.admin.summaries.get(layer);
  const isChange = Object.keys(wanted).length > 0;
  const { settings } = isChange
    ? await client.admin.summaries.set(layer, changed(before, wanted))
    : { settings: before };
  if (json) return printJson(settings);
  for (const [name, value] of Object.entries(settings)) console.log(`${name}: ${[value].flat().join(', ')}`);
}

/** The settings with what the options name; `false` switches a setting off. */
function changed(
  before: SummarySettings,
  { depth, interval, changes, maxAge, skipUnchanged, personalized, model }: Omit<ConfigureOptions, 'layer'>,
): SummarySettings {
  return {
    depths: depth ?? before.depths,
    skipIfUnchanged: skipUnchanged ?? before.skipIfUnchanged,
    updateIntervalSeconds: settingAfter(interval, before.updateIntervalSeconds),
    updateOnChanges: settingAfter(changes, before.updateOnChanges),
    maxAgeSeconds: settingAfter(maxAge, before.maxAgeSeconds),
    personalized: personalized ?? before.personalized,
    model: settingAfter(model, before.model),
  };
}
