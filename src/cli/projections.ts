import { setTimeout as sleep } from 'node:timers/promises';
import { SingleBar, Presets } from 'cli-progress';
import { Command } from 'commander';
import type { Projection, Reactor, Stratalog } from '../../packages/client/src/index.ts';
import type { ModelComparison } from '../domain/retrieval/model-comparison.ts';
import { connect } from './client.ts';
import { printJson, table } from './output.ts';

type Generation = Projection['generations'][number];

const pollMs = 200;

export function projectionsCommand(): Command {
  const command = new Command('projections').description('Manage the read models');
  command
    .command('status')
    .alias('list')
    .description('Show each read model with its generations, and each reactor, with lag and parked streams')
    .action(async (_, command: Command) => {
      const { client, json } = connect(command);
      const { items, reactors } = await client.admin.projections.list();
      if (json) return printJson([...items, ...reactors.map(asItem)]);
      console.log(statusTable(items, reactors));
    });
  command
    .command('rebuild')
    .description('Rebuild read models next to the live ones, compare both, and report whether they are equal')
    .argument('[name...]', 'read models to rebuild; default: all')
    .option(
      '--switch',
      'switch queries to each rebuilt read model that equals the live one or has the vectors of another model',
    )
    .option(
      '--embedder <model>',
      'compute the vectors with this registered embedding model, and compare both models',
    )
    .option(
      '--query <text...>',
      'queries by which the models are compared; default: recent searches (repeatable; give it after the names)',
    )
    .action(async (names: string[], options: RebuildOptions, command: Command) => {
      const { client, json } = connect(command);
      if (options.embedder !== undefined) {
        if (names.some((name) => name !== 'vectors')) command.error('--embedder is for vectors only');
        const result = await reembed(client, options.embedder, options, !json);
        return json ? printJson(result) : undefined;
      }
      if (options.query) command.error('--query needs --embedder');
      const results = await rebuild(client, names, options.switch ?? false, !json);
      if (json) printJson(results);
      if (results.some(({ equal }) => !equal)) process.exitCode = 1;
    });
  for (const act of ['switch', 'rollback'] as const) {
    command
      .command(act)
      .description(
        act === 'switch'
          ? 'Switch queries to the rebuilt generation'
          : 'Cancel a running rebuild, or switch queries back to the previous generation',
      )
      .argument('<name>')
      .action(async (name: string, _, command: Command) => {
        const { client, json } = connect(command);
        const answer = await client.admin.projections[act](name);
        if (json) return printJson(answer);
        const { from, to, ended } = answer;
        console.log(
          ended
            ? `${name}: the rebuild of generation ${from} was ended, and it is gone; queries read generation ${to} as before`
            : `${name}: queries read generation ${to} now, not ${from}`,
        );
      });
  }
  command
    .command('retry')
    .description('Retry a parked stream of a read model or reactor')
    .argument('<name>')
    .argument('<stream>')
    .action(async (name: string, stream: string, _, command: Command) => {
      const { client, json } = connect(command);
      const answer = await client.admin.projections.retry(name, { stream });
      if (json) return printJson(answer);
      console.log(`${name} follows ${stream} again`);
    });
  command
    .command('skip')
    .description('Skip the event that blocks a parked stream')
    .argument('<name>')
    .argument('<stream>')
    .action(async (name: string, stream: string, _, command: Command) => {
      const { client, json } = connect(command);
      const answer = await client.admin.projections.skip(name, { stream });
      if (json) return printJson(answer);
      console.log(
        `${name} follows ${stream} again, without its ${answer.type} at revision ${answer.revision}`,
      );
    });
  return command;
}

/** A reactor in the shape of a read model, whose only generation is always live: scripts read one list. */
function asItem({ name, lock, position, lag, parked, error }: Reactor): object {
  const generation = {
    generation: 0,
    state: 'live',
    active: true,
    lock,
    position,
    lag,
    ...(error && { error }),
  };
  return { name, kind: 'reactor', generations: [generation], parked };
}

interface RebuildOptions {
  readonly switch?: boolean;
  readonly embedder?: string;
  readonly query?: string[];
}

interface Reembedded {
  readonly generation: number;
  readonly comparison?: ModelComparison;
  readonly switched: boolean;
}

/** Rebuilds the vectors with another model, and waits until both models were compared. */
async function reembed(
  client: Stratalog,
  embedder: string,
  { query: queries, switch: andSwitch = false }: RebuildOptions,
  show: boolean,
): Promise<Reembedded> {
  const { generation } = await client.admin.projections.rebuild('vectors', { embedder, queries });
  const { comparison, equal, error } = await follow(client, 'vectors', generation, show);
  const isSound = comparison !== undefined || equal === true;
  if (!isSound) process.exitCode = 1;
  const switched = andSwitch && isSound;
  if (show && comparison) console.log(comparisonLines(comparison));
  else if (show)
    console.log(
      `vectors of ${embedder}: ${equal ? 'equal to the live ones' : (error ?? 'not equal to the live ones')}`,
    );
  if (switched) await client.admin.projections.switch('vectors');
  if (show && switched) console.log(`vectors: queries read generation ${generation} now`);
  return { generation, ...(comparison && { comparison }), switched };
}

function comparisonLines({ model, liveModel, queries, overlap, judged }: ModelComparison): string {
  const lines = [`${model} beside ${liveModel}, ${queries} queries compared`];
  if (overlap !== undefined)
    lines.push(`  of the first 10 results both have ${(100 * overlap).toFixed(0)} %`);
  if (judged)
    lines.push(
      `  nDCG@10 by feedback on ${judged.queries} searches: ${judged.ndcg.toFixed(3)}, live ${judged.liveNdcg.toFixed(3)}`,
    );
  return lines.join('\n');
}

export interface RebuiltProjection {
  readonly name: string;
  readonly generation: number;
  readonly digest: string;
  readonly equal: boolean;
  readonly switched: boolean;
}

/** The server would refuse one of several rebuilds, so none was started. */
export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused';

  constructor(reason: string) {
    super(`No rebuild was begun: ${reason}`);
  }
}

function assertCanBegin(wanted: ReadonlySet<string>, items: readonly Projection[]): void {
  const names = items.map(({ name }) => name);
  const unknown = [...wanted].filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new RebuildRefused(`there is no read model ${unknown.join(', ')}, but ${names.join(', ')}.`);
  const running = items.flatMap(({ name, rebuilding }) => (rebuilding && wanted.has(name) ? [name] : []));
  if (running.length === 0) return;
  const ends = running.map((name) => `\`projections rollback ${name}\``).join(', ');
  throw new RebuildRefused(
    `${running.join(', ')} ${running.length === 1 ? 'is' : 'are'} being rebuilt already. Wait for its end, which \`projections status\` shows, or end it with ${ends}.`,
  );
}

/**
 * Starts all rebuilds, which then share one read of the log, and waits for each until its digests were compared. Rejects
 * with `RebuildRefused` if one cannot start; then none is started.
 */
export async function rebuild(
  client: Stratalog,
  names: readonly string[],
  andSwitch: boolean,
  show: boolean,
): Promise<RebuiltProjection[]> {
  const { items } = await client.admin.projections.list();
  const wanted = new Set(names.length > 0 ? names : items.map(({ name }) => name));
  assertCanBegin(wanted, items);
  const started: { name: string; generation: number }[] = [];
  for (const name of wanted) {
    const { generation } = await client.admin.projections.rebuild(name);
    started.push({ name, generation });
  }
  const results: RebuiltProjection[] = [];
  for (const { name, generation } of started) {
    const { digest = '', equal = false } = await follow(client, name, generation, show);
    const switched = andSwitch && equal;
    if (switched) await client.admin.projections.switch(name);
    if (show)
      console.log(
        `${name}: ${equal ? `equal, digest ${digest}` : 'DIFFERS from the live one'}${switched ? ', switched' : ''}`,
      );
    results.push({ name, generation, digest, equal, switched });
  }
  return results;
}

async function follow(
  client: Stratalog,
  name: string,
  generation: number,
  show: boolean,
): Promise<Generation> {
  const bar =
    show && process.stderr.isTTY
      ? new SingleBar({ format: `${name} {bar} {value}/{total} events` }, Presets.shades_grey)
      : undefined;
  bar?.start(1, 0);
  let reported: string | undefined;
  try {
    for (;;) {
      const { items } = await client.admin.projections.list();
      const status = items.find((item) => item.name === name);
      const filled = status?.generations.find((item) => item.generation === generation);
      if (!filled)
        throw new Error(
          `generation ${generation} of ${name} is gone: it was ended, or another rebuild took its place`,
        );
      if (filled.state === 'failed')
        throw new Error(`the rebuild of ${name} failed: ${filled.error ?? 'no reason known'}`);
      const waits = waitingLine(name, filled);
      if (show && waits !== undefined && waits !== reported) console.error(waits);
      reported = waits;
      if (status?.rebuilding) {
        bar?.setTotal(Math.max(1, status.rebuilding.head));
        bar?.update(status.rebuilding.position);
      } else if (filled.state !== 'building') {
        return filled;
      }
      await sleep(pollMs);
    }
  } finally {
    bar?.stop();
  }
}

/** The error that stalls a rebuild; undefined if it is not stalled. */
function waitingLine(name: string, { generation, error, failingSince }: Generation): string | undefined {
  return failingSince === undefined
    ? undefined
    : `${name}: generation ${generation} waits since ${failingSince}: ${error}; "projections rollback ${name}" ends it`;
}

function statusTable(items: readonly Projection[], reactors: readonly Reactor[]): string {
  const rows = items.flatMap(({ name, generations, parked, rebuilding }) =>
    generations.map(({ generation, state, active, position, lag }) => [
      name,
      String(generation),
      rebuilding && state === 'building' ? `building ${rebuilding.position}/${rebuilding.head}` : state,
      active ? 'yes' : '',
      String(position),
      String(lag),
      String(parked.filter((stream) => stream.generation === generation).length),
    ]),
  );
  const waiting = items.flatMap(({ name, generations }) =>
    generations.flatMap((one) => waitingLine(name, one) ?? []),
  );
  const head = ['projection', 'generation', 'state', 'live', 'position', 'lag', 'parked'];
  const reactorRows = reactors.map(({ name, lock, position, lag, parked, error }) => [
    name,
    lock === 'free' ? 'not running' : (error ?? 'running'),
    String(position),
    String(lag),
    String(parked.length),
  ]);
  const held = [...items, ...reactors].flatMap(({ name, parked }) =>
    parked.map(({ stream, type, error }) => `${name}: ${stream} waits at ${type}: ${error}`),
  );
  return [
    table([head, ...rows]),
    '',
    table([['reactor', 'state', 'position', 'lag', 'parked'], ...reactorRows]),
    ...waiting,
    ...held,
  ].join('\n');
}
