import { expect, it } from 'vitest';
import { replacementSteps, type ComparedMemory } from '../../src/domain/context/replacements.ts';

let count = 0;
const memory = (content: string, occurredAt: string, more: Partial<ComparedMemory> = {}): ComparedMemory => ({
  id: `0197c1a2-0000-7000-8000-00000000000${count++}`,
  content,
  layer: 'team',
  scope: { team: 'harbour' },
  metadata: {},
  occurredAt,
  ...more,
});

function replacementsOf(memories: readonly ComparedMemory[]): [string, string][] {
  const steps = replacementSteps(memories);
  for (;;) {
    const step = steps.next();
    if (step.done) return [...step.value];
  }
}

const old = memory('The staging database listens on port 5432.', '2025-11-01T00:00:00Z');
const current = memory('The staging database listens on port 6432.', '2026-02-04T00:00:00Z');

it('[E8] finds the newer of two memories that state the same with another value', () => {
  expect(replacementsOf([old, current])).toEqual([[old.id, current.id]]);
  expect(replacementsOf([current, old])).toEqual([[old.id, current.id]]);
});

it('[E8] names the newest of a chain', () => {
  const newest = memory('The staging database listens on port 7432.', '2026-05-01T00:00:00Z');
  expect(new Map(replacementsOf([old, current, newest]))).toEqual(
    new Map([
      [old.id, newest.id],
      [current.id, newest.id],
    ]),
  );
});

it('[E8] compares no memories of two places, and keeps one that says more', () => {
  const elsewhere = memory(current.content, current.occurredAt!, { scope: { team: 'kitchen' } });
  expect(replacementsOf([old, elsewhere])).toEqual([]);
  const longer = memory(`${old.content} It runs in Oslo. Ask Piet for access.`, old.occurredAt!);
  expect(replacementsOf([longer, current])).toEqual([]);
});
