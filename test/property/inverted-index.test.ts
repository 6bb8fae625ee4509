import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InvertedIndex, type CountedText } from '../../src/adapters/words/inverted-index.ts';
import { match, weigh, type TermStatistics } from '../../src/domain/ranking/bm25.ts';

const vocabulary = ['tea', 'green', 'constructor', '__proto__', '42', 'k8s', '茶葉', 'toString', 'a, b: 1'];

type Counts = Readonly<Record<string, number>>;

/** The counts as PostgreSQL writes them. */
const text = (counts: Counts): string =>
  `{${Object.entries(counts)
    .map(([term, count]) => `${JSON.stringify(term)}: ${count}`)
    .join(', ')}}`;

interface FieldContributions extends Omit<CountedText, 'counts'> {
  readonly counts: Counts;
}

const rowOf = (held: FieldContributions): CountedText => ({ ...held, counts: text(held.counts) });

const counts = fc.dictionary(fc.constantFrom(...vocabulary), fc.integer({ min: 1, max: 300 }), {
  noNullPrototype: false,
});

const change = fc.record({
  memory_id: fc.nat(30).map(String),
  counts,
  more: fc.nat(100),
  part: fc.constantFrom('shared', 'user:ada', 'user:bob', 'session:s'),
  isRemoved: fc.boolean(),
});

const lengthOf = (held: Counts): number => Object.values(held).reduce((sum, count) => sum + count, 0);

function statisticsOf(rows: readonly FieldContributions[], terms: readonly string[]): TermStatistics {
  const frequency = (term: string) => rows.filter((row) => Object.hasOwn(row.counts, term)).length;
  return {
    documents: rows.length,
    documentFrequency: new Map(terms.map((term) => [term, frequency(term)])),
  };
}

/** Every memory with any of the terms, with its score, best first. */
function expected(memories: ReadonlyMap<string, FieldContributions>, terms: readonly string[]) {
  const weighted = weigh(terms, statisticsOf([...memories.values()], terms));
  const scored = [...memories.values()]
    .map((row) => ({
      id: row.memory_id,
      score: match(weighted, { termFrequencies: new Map(Object.entries(row.counts)), length: row.length })
        .bm25,
    }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
  return { weighted, scored };
}

it('[A5] memories are found after any sequence of puts, replacements and removals, scored by our own BM25', () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 150 }),
      fc.uniqueArray(fc.constantFrom(...vocabulary, 'absent'), { minLength: 1 }),
      fc.integer({ min: 1, max: 40 }),
      (changes, terms, limit) => {
        const index = new InvertedIndex();
        const memories = new Map<string, FieldContributions>();
        for (const { isRemoved, memory_id, counts, more, part } of changes) {
          const row = { memory_id, counts, length: lengthOf(counts) + more, part };
          if (isRemoved) index.remove(memory_id);
          else index.put([rowOf(row)]);
          if (isRemoved) memories.delete(memory_id);
          else memories.set(memory_id, row);
        }
        const { weighted, scored } = expected(memories, terms);
        expect(index.documents).toBe(memories.size);
        expect(index.statistics(terms, 'all')).toEqual(statisticsOf([...memories.values()], terms));
        for (const parts of [['shared', 'user:ada', 'user:eve'], ['session:s'], []])
          expect(index.statistics(terms, parts)).toEqual(
            statisticsOf(
              [...memories.values()].filter((row) => parts.includes(row.part)),
              terms,
            ),
          );
        const found = index.best(weighted, limit);
        // If several have the same score, any of them may be the last.
        const scores = new Map(scored.map(({ id, score }) => [id, score]));
        expect(found.map(({ id }) => scores.get(id))).toEqual(
          scored.slice(0, limit).map(({ score }) => expect.closeTo(score, 9)),
        );
        expect(index.best(weighted, Infinity)).toHaveLength(scored.length);
        const among = [...memories.keys(), 'none'].filter((_, at) => at % 2 === 0);
        expect(new Set(index.best(weighted, Infinity, among).map(({ id }) => id))).toEqual(
          new Set(scored.map(({ id }) => id).filter((id) => among.includes(id))),
        );
        const ids = [...memories.keys(), 'none'];
        expect(index.signals(terms, ids)).toEqual([
          ...[...memories.values()].map(({ counts, length }) => {
            const frequencies = terms.map((term) => (Object.hasOwn(counts, term) ? counts[term] : 0));
            return { length, frequencies: frequencies.some((count) => count! > 0) ? frequencies : [] };
          }),
          undefined,
        ]);
      },
    ),
  );
});

it('[A5] removed memories do not take space forever, and leave no words', () => {
  const index = new InvertedIndex();
  const row = (id: number, time: number): CountedText =>
    rowOf({
      memory_id: String(id),
      counts: { common: 1, [`own${id}`]: 2, [`time${time}`]: 3 },
      length: 6,
      part: 'shared',
    });
  const bytes: number[] = [];
  for (let time = 0; time < 30; time++) {
    index.put(Array.from({ length: 500 }, (_, id) => row(id, time)));
    bytes.push(index.bytes);
  }
  expect(Math.max(...bytes)).toBeLessThan(4 * bytes[0]!);
  expect(index.documents).toBe(500);
  const { documentFrequency } = index.statistics(['common', 'time28', 'time29'], 'all');
  expect([...documentFrequency.values()]).toEqual([500, 0, 500]);
  const query = weigh(['own7', 'time29'], { documents: 500, documentFrequency: new Map([['own7', 1]]) });
  expect(index.best(query, 1)).toMatchObject([{ id: '7' }]);
  for (let id = 0; id < 500; id++) index.remove(String(id));
  expect(index.best(query, 10)).toEqual([]);
  expect(index.documents).toBe(0);
});
