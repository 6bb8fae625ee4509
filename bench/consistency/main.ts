// Measures which contradictions and supersessions are found in real data, by reason. See README.md.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { detectInconsistencies } from '../../src/domain/consistency/detect-inconsistencies.ts';
import type { Reason } from '../../src/domain/consistency/verdict.ts';
import type { ComparableMemory } from '../../src/domain/consistency/comparable-memory.ts';
import { SupersessionGraph } from '../../src/domain/links/supersession-graph.ts';
import { keyOf, labelledSets, type LabelledSet } from './sets.ts';

/** A found pair with its reason. */
interface Hit {
  readonly set: string;
  readonly pair: readonly [string, string];
  readonly kind: 'contradiction' | 'supersession';
  readonly reason: Reason;
}

interface Label {
  readonly set: string;
  readonly pair: readonly [string, string];
  readonly code: string;
  readonly holds: boolean;
}

const noLinks = { supersessions: new SupersessionGraph([]), contradicts: [] };

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { data: { type: 'string' }, set: { type: 'string' }, show: { type: 'boolean', default: false } },
  });
  if (values.data === undefined) throw new Error('usage: main.ts --data DIR [--set NAME] [--show]');
  const labels = JSON.parse(
    await readFile(path.resolve('bench/consistency/labels.json'), 'utf8'),
  ) as readonly Label[];
  for (const set of await labelledSets(values.data)) {
    if (values.set !== undefined && set.name !== values.set) continue;
    const hits = set.groups.flatMap((group) => hitsOf(set.name, group));
    print(set, hits, labels);
    if (values.show) for (const hit of hits) show(hit, set, labels);
  }
}

function hitsOf(set: string, memories: readonly ComparableMemory[]): Hit[] {
  const { contradictions, supersessions } = detectInconsistencies(memories, noLinks);
  return [
    ...contradictions.flatMap(({ memories: pair, reasons }) =>
      reasons.map((reason): Hit => ({ set, pair, kind: 'contradiction', reason })),
    ),
    ...supersessions.flatMap(({ memory, supersededBy, reasons }) =>
      reasons.map((reason): Hit => ({ set, pair: [memory, supersededBy], kind: 'supersession', reason })),
    ),
  ];
}

/** Judges pairs by the data set's own information, or else by manual labels. */
function holds(
  { set, pair, reason }: Hit,
  { gold }: LabelledSet,
  labels: readonly Label[],
): boolean | undefined {
  if (gold.complete) return gold.pairs.has(keyOf(pair));
  if (gold.pairs.has(keyOf(pair))) return true;
  return labels.find(
    (label) => label.set === set && label.code === codeOf(reason) && keyOf(label.pair) === keyOf(pair),
  )?.holds;
}

function codeOf(reason: Reason): string {
  return reason.code === 'wording' ? `wording ${reason.difference}` : reason.code;
}

function print(set: LabelledSet, hits: readonly Hit[], labels: readonly Label[]): void {
  const compared = set.groups.reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0);
  const found = new Set(hits.map(({ pair }) => keyOf(pair)));
  const recalled = [...set.gold.pairs].filter((key) => found.has(key)).length;
  console.log(
    `\n${set.name}: ${compared} pairs compared, ${recalled} of ${set.gold.pairs.size} known pairs found`,
  );
  for (const code of [...new Set(hits.map(({ reason }) => codeOf(reason)))].sort()) {
    const own = hits.filter(({ reason }) => codeOf(reason) === code);
    const judged = own.map((hit) => holds(hit, set, labels));
    const right = judged.filter((each) => each === true).length;
    const known = judged.filter((each) => each !== undefined).length;
    const precision = known === 0 ? '-' : (right / known).toFixed(3);
    console.log(
      `  ${code.padEnd(20)} found ${own.length}, labelled ${known}, right ${right}, precision ${precision}`,
    );
  }
}

function show(hit: Hit, set: LabelledSet, labels: readonly Label[]): void {
  const { reason } = hit;
  const verdict = holds(hit, set, labels);
  const label = verdict === undefined ? '?' : verdict ? 'right' : 'wrong';
  console.log(`\n[${label}] ${hit.kind} ${codeOf(reason)} ${hit.pair.join(' ')}\n  ${reason.detail}`);
  if (reason.code === 'wording') for (const passage of reason.passages) console.log(`  | ${passage}`);
}
