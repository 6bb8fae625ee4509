import { expect, it } from 'vitest';
import { InvertedIndex } from '../../src/adapters/words/inverted-index.ts';
import { heapUsed } from '../support/heap.ts';

it('keeps nothing of how a memory had its counts written', () => {
  const memories = 5_000;
  const filler = Array.from({ length: 120 }, (_, n) => `"w${n}":1`).join(',');
  const added = (lengthOfTerm: number): number => {
    const before = heapUsed();
    const index = new InvertedIndex();
    for (let n = 0; n < memories; n++) {
      // In one piece, as it comes from the database.
      const counts = Buffer.from(`{"${`u${n}`.padEnd(lengthOfTerm, 'x')}":1,${filler}}`).toString();
      index.put([{ memory_id: `id${n}`, counts, length: 121 }]);
    }
    const after = heapUsed();
    expect(index.documents).toBe(memories);
    return after - before;
  };
  // V8 copies short pieces by itself.
  expect(added(14)).toBeLessThan(added(12) + (memories * filler.length) / 2);
});
