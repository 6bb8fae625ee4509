// Measures how many updates of everyday notes are found, and how many unrelated notes are reported. See README.md.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  detectInconsistencies,
  type Inconsistencies,
} from '../../src/domain/consistency/detect-inconsistencies.ts';
import type { ComparableMemory } from '../../src/domain/consistency/comparable-memory.ts';
import type { Scope } from '../../src/domain/layers.ts';
import { SupersessionGraph } from '../../src/domain/links/supersession-graph.ts';

interface Note {
  readonly id: string;
  readonly tenant: string;
  readonly text: string;
  readonly layer: string;
  readonly scope: Scope;
  readonly timestamp: string;
}

interface Update {
  readonly tenant: string;
  readonly older: readonly string[];
  readonly current: string;
  readonly topic: string;
}

type Pair = readonly [Note, Note];

interface Figures {
  readonly updates: number;
  readonly found: number;
  /** Pairs of one layer and scope of which neither updates the other. */
  readonly others: number;
  readonly alarms: number;
}

const noLinks = { supersessions: new SupersessionGraph([]), contradicts: [] };

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string' },
      world: { type: 'string', multiple: true },
      show: { type: 'boolean', default: false },
    },
  });
  if (values.data === undefined) throw new Error('usage: everyday.ts --data DIR [--world TENANT]… [--show]');
  const notes = await readLines<Note>(path.join(values.data, 'memories.jsonl'));
  const updates = await readLines<Update>(path.join(values.data, 'pairs.jsonl'));
  const worlds = [...new Set(notes.map(({ tenant }) => tenant))].filter(
    (world) => values.world?.includes(world) ?? true,
  );
  const all: Figures[] = [];
  for (const world of worlds) {
    const inWorld = <Entry extends { readonly tenant: string }>(entries: readonly Entry[]) =>
      entries.filter(({ tenant }) => tenant === world);
    const figures = measure(inWorld(notes), inWorld(updates), values.show);
    all.push(figures);
    print(world, figures);
  }
  const sum = (key: keyof Figures) => all.reduce((total, figures) => total + figures[key], 0);
  print('all', {
    updates: sum('updates'),
    found: sum('found'),
    others: sum('others'),
    alarms: sum('alarms'),
  });
}

function measure(notes: readonly Note[], updates: readonly Update[], show: boolean): Figures {
  const byId = new Map(notes.map((note) => [note.id, note]));
  const known = updates.flatMap(({ older, current, topic }) =>
    older.map((id) => ({ pair: [byId.get(id)!, byId.get(current)!] as Pair, topic })),
  );
  const knownKeys = new Set(known.map(({ pair }) => keyOf(pair)));
  const others = notes
    .flatMap((left, index) => notes.slice(index + 1).map((right): Pair => [left, right]))
    .filter((pair) => placeOf(pair[0]) === placeOf(pair[1]) && !knownKeys.has(keyOf(pair)));
  const alarms = others.filter((pair) => isReported(pair, show, 'not known'));
  const found = known.filter(({ pair, topic }) => isReported(pair, show, topic));
  if (show)
    for (const { topic } of known.filter((each) => !found.includes(each))) console.log(`missed: ${topic}`);
  return { updates: known.length, found: found.length, others: others.length, alarms: alarms.length };
}

/** Whether anything is reported for the pair. Throws if the answer depends on the order or quotes what no memory says. */
function isReported(pair: Pair, show: boolean, label: string): boolean {
  const memories = pair.map(memoryOf);
  const answer = detectInconsistencies(memories, noLinks);
  const mirrored = detectInconsistencies([...memories].reverse(), noLinks);
  if (JSON.stringify(answer) !== JSON.stringify(mirrored))
    throw new Error(`${keyOf(pair)} is judged by the order of its memories`);
  const reasons = reasonsIn(answer);
  for (const reason of reasons) {
    const quotes = 'passages' in reason ? reason.passages : [];
    for (const quote of quotes)
      if (!pair.some(({ text }) => text.includes(quote)))
        throw new Error(`${keyOf(pair)}: no memory says ${JSON.stringify(quote)}`);
    if (show) console.log(`${label}: ${keyOf(pair)} ${reason.confidence} ${reason.detail}`);
    if (show) for (const quote of quotes) console.log(`  | ${quote}`);
  }
  return reasons.length > 0;
}

function reasonsIn({ contradictions, supersessions }: Inconsistencies) {
  return [...contradictions, ...supersessions].flatMap(({ reasons }) => reasons);
}

/** Precision against as many random other pairs as there are updates: the expected value over all ways to draw them. */
function print(name: string, { updates, found, others, alarms }: Figures): void {
  const expected = others === 0 ? 0 : (alarms / others) * updates;
  const precision = found === 0 ? 0 : found / (found + expected);
  console.log(
    `${name.padEnd(8)} found ${found} of ${updates} (${(found / updates).toFixed(3)}), ` +
      `reported ${alarms} of ${others} other pairs of one scope, precision ${precision.toFixed(3)}`,
  );
}

function keyOf(pair: Pair): string {
  return pair
    .map(({ id }) => id)
    .sort()
    .join(' ');
}

function placeOf({ layer, scope }: Note): string {
  return JSON.stringify([
    layer,
    ...Object.entries(scope)
      .map((entry) => entry.join('='))
      .sort(),
  ]);
}

function memoryOf({ id, text, scope, timestamp }: Note): ComparableMemory {
  return { id, content: text, scope: scope, metadata: {}, occurredAt: timestamp };
}

async function readLines<Entry>(file: string): Promise<Entry[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => JSON.parse(line) as Entry);
}
