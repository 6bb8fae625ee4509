import { readFileSync } from 'node:fs';
import { conflictSteps, type StoredComparable } from '../src/domain/consistency/conflicts.ts';

interface Pair {
  readonly id: string;
  readonly a: string;
  readonly b: string;
  readonly duplicate: unknown;
}

/**
 * Measures the judgement of duplicates on pairs of texts: `node bin/run.mjs bench/duplicates.ts FILE`, where each line of FILE is
 * `{id, a, b, duplicate}`. Counts, for each value of `duplicate`, what the judgement says of the second text beside the first.
 */
export function main([file]: readonly string[]): void {
  if (file === undefined)
    throw new Error('Name the file of pairs: node bin/run.mjs bench/duplicates.ts FILE');
  const counts: Record<string, Record<string, number>> = {};
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const pair = JSON.parse(line) as Pair;
    const row = (counts[String(pair.duplicate)] ??= {});
    const verdict = judge(pair);
    row[verdict] = (row[verdict] ?? 0) + 1;
  }
  console.table(counts);
}

function judge({ a, b }: Pair): string {
  const steps = conflictSteps(comparable('second', b, 2), [comparable('first', a, 1)]);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value[0]?.kind ?? 'none';
}

function comparable(id: string, content: string, day: number): StoredComparable {
  const time = `2026-01-0${day}T00:00:00.000Z`;
  return { id, content, scope: {}, metadata: {}, occurredAt: time, updatedAt: time };
}
