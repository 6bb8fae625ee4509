import { expect, it } from 'vitest';
import { InvertedIndex } from '../../src/adapters/words/inverted-index.ts';
import { heapUsed } from '../support/heap.ts';

it('does not keep the source text of the counts in memory', () => {
  const memories = 5_000;
  const filler = Array.from({ length: 120 }, (_, n) => `"w${n}":1`).join(',');
  const added = (lengthOfTerm: number): number => {
    const before = heapUsed();
    const index = new InvertedIndex();
    for (let n = 0; n < memories; n++) {
      // One flat string, like one from the database.
      const counts = Buffer.from(`{"${`u${n}`.padEnd(lengthOfTerm, 'x')}":1,${filler}}`).toString();
      index.put([{ memory_id: `id${n}`, counts, length: 121, part: 'shared' }]);
    }
    const after = heapUsed();
    expect(index.documents).toBe(memories);
    return after - before;
  };
  // V8 copies short substrings, and refers to the source string for longer ones.
  expect(added(14)).toBeLessThan(added(12) + (memories * filler.length) / 2);
});

it('returns the same signals whether it iterates the terms of a memory or those of the query', () => {
  const index = new InvertedIndex();
  const rows = Array.from({ length: 20 }, (_, n) => ({
    memory_id: `id${n}`,
    counts: JSON.stringify({ every: 1, [`own${n}`]: n + 1, [`third${n % 3}`]: 2 }),
    length: n + 4,
    part: 'shared',
  }));
  index.put(rows);
  index.remove('id7');
  const few = ['every', 'own3', 'nobody', 'third1', 'own7'];
  const many = [...few, ...Array.from({ length: 100 }, (_, n) => `nobody${n}`)];
  const ids = [...rows.map((row) => row.memory_id), 'unknown'];
  const padded = index.signals(few, ids).map(
    (signal) =>
      signal && {
        ...signal,
        frequencies:
          signal.frequencies.length > 0 ? [...signal.frequencies, ...Array<number>(100).fill(0)] : [],
      },
  );
  expect(index.signals(many, ids)).toEqual(padded);
  expect(index.signals(few, ['id3'])[0]).toEqual({ length: 7, frequencies: [1, 4, 0, 0, 0] });
});
