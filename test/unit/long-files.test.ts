import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { leftOutBy } from '../support/long-files.mjs';

it('five gates in a row run every long file once, whatever the first seed', () => {
  const runs = [7, 8, 9, 10, 11].map(leftOutBy);
  const counts = new Map<string, number>();
  for (const file of runs.flat()) counts.set(file, (counts.get(file) ?? 0) + 1);
  expect([...counts.values()].every((count) => count === 4)).toBe(true);
  expect([...counts.keys()].filter((file) => !existsSync(file))).toEqual([]);
});
