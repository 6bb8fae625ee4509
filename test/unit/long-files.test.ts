import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { groupCount, leftOutBy, longFiles } from '../support/long-files.mjs';

const seeds = Array.from({ length: groupCount }, (_, index) => 7 + index);
const files = Object.values(longFiles).flatMap(Object.keys);

it('as many gates in a row as there are groups run every long file once, whatever the first seed', () => {
  const runs = seeds.map((seed) => {
    const leftOut = new Set(leftOutBy(seed));
    return files.filter((file) => !leftOut.has(file));
  });
  expect(runs.flat().toSorted()).toEqual(files.toSorted());
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

describe.each(Object.entries(longFiles))('the long files of the lane %s', (_lane, seconds) => {
  it('take about as long with each seed, unless one file takes longer than a ninth of them', () => {
    const total = Object.values(seconds).reduce((sum, one) => sum + one, 0);
    const even = Math.max(total / groupCount, ...Object.values(seconds));
    for (const seed of seeds) {
      const leftOut = new Set(leftOutBy(seed));
      const taken = Object.entries(seconds).filter(([file]) => !leftOut.has(file));
      expect(taken.reduce((sum, [, one]) => sum + one, 0)).toBeLessThanOrEqual(even * 1.1);
    }
  });
});

it('a requirement with tests that need no server has one in every gate', () => {
  const rowsOf = (file: string): string[] =>
    [...readFileSync(file, 'utf8').matchAll(/\[([A-J]\d+)\]/g)].map(([, row]) => row!);
  const tests = ['unit', 'property', 'contract', 'conformance', 'faults'].flatMap((folder) =>
    readdirSync(`test/${folder}`)
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `test/${folder}/${name}`),
  );
  const always = new Set(tests.filter((file) => !files.includes(file)).flatMap(rowsOf));
  const rotating = files.filter((file) => tests.includes(file)).flatMap(rowsOf);
  expect([...new Set(rotating)].filter((row) => !always.has(row))).toEqual([]);
});
