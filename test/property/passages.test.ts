import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResidentPassages } from '../../src/adapters/flat/resident-passages.ts';
import { ResidentWords } from '../../src/adapters/words/resident-words.ts';
import { bestPassage } from '../../src/domain/ranking/best-passage.ts';
import { match, weigh } from '../../src/domain/ranking/bm25.ts';
import { countPassages, lengthsOf, passageTermsOf, placesOf } from '../../src/domain/text/passage-terms.ts';
import { passagesOf, passageText } from '../../src/domain/text/passages.ts';
import { termCountsToJson } from '../../src/domain/text/term-counts-json.ts';
import { termCounts } from '../../src/domain/text/tokens.ts';

const word = fc.constantFrom(
  'harbour',
  'ferry',
  'green',
  'tea',
  'QZT-8000',
  'café',
  '港口',
  '茶',
  '𝒳',
  '😀',
  'Öl',
);
const sentence = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => `${words.join(' ')}.`);
const block = fc.oneof(
  fc.array(sentence, { minLength: 1, maxLength: 20 }).map((sentences) => sentences.join(' ')),
  sentence.map((text) => `## ${text}`),
  sentence.map((text) => `- ${text}\n- ${text}`),
  sentence.map((text) => `| ${text} | ${text} |`),
  sentence.map((text) => `\`\`\`\n${text}\n\n# not a heading\n\`\`\``),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  word.map((text) => text.repeat(600)),
);
const text = fc
  .array(block, { minLength: 1, maxLength: 12, size: 'max' })
  .map((blocks) => blocks.join('\n\n'));

describe('the passages of a text', () => {
  it('[A5] are in order, cover everything except white space, and never exceed the input limit of a model', () => {
    fc.assert(
      fc.property(text, (content) => {
        const passages = passagesOf(content);
        if (passages.length === 0) return;
        expect(passages.length).toBeGreaterThan(1);
        let covered = 0;
        for (const { start, end } of passages) {
          expect(content.slice(covered, Math.max(covered, start)).trim()).toBe('');
          expect(end).toBeGreaterThan(covered);
          expect(end - start).toBeLessThanOrEqual(2_000);
          covered = end;
          // No half of a surrogate pair.
          expect(content.slice(start, end)).toBe(content.slice(start, end).toWellFormed());
        }
        expect(content.slice(covered).trim()).toBe('');
      }),
    );
  });

  it('[A5] have at most a little more than 200 tokens, including their heading', () => {
    const section = (name: string) => `## ${name}\n\n${'The ferry leaves at nine. '.repeat(60)}`;
    const content = `${section('Summer')}\n\n${section('Winter')}`;
    const texts = passagesOf(content).map((passage) => passageText(content, passage));
    expect(texts.length).toBeGreaterThanOrEqual(4);
    const isWinter = texts.map((one) => one.startsWith('Winter\n') || one.startsWith('## Winter'));
    expect(isWinter.indexOf(true)).toBeGreaterThan(1);
    expect(isWinter.slice(isWinter.indexOf(true)).every(Boolean)).toBe(true);
    for (const one of texts) expect(one.length).toBeLessThan(1_200);
  });

  it('[A5] do not exist for a text of a few sentences', () => {
    expect(passagesOf('The ferry leaves at nine.')).toEqual([]);
    expect(passagesOf('x'.repeat(1_000))).toEqual([]);
    expect(passagesOf('')).toEqual([]);
  });

  it('[A5] take time linear in the length of the text', () => {
    const kinds = ['x', ' ', '\n', '# \n', '. ', '| ', '`````\n', '茶', 'a. b\n\n'];
    for (const kind of kinds) {
      const content = kind.repeat(200_000 / kind.length);
      expect(passagesOf(content).every(({ start, end }) => start < end)).toBe(true);
    }
  });
});

const query = fc.array(fc.constantFrom('harbour', 'ferri', 'green', 'tea', '8000', 'nobody'), {
  minLength: 1,
  maxLength: 5,
});
const statistics = { documents: 10, documentFrequency: new Map([['green', 7]]) };

const ofCompany = { layer: 'company', user_id: null, session: null, agent: null } as const;

describe('the best passage', () => {
  it('[A5] has the highest BM25, whether counted, stored or kept in RAM', () => {
    fc.assert(
      fc.property(text, query, (content, terms) => {
        const weighted = weigh(terms, statistics);
        const counted = countPassages(content);
        const index = new ResidentWords();
        const whole = termCounts(content);
        const stored = counted && passageTermsOf(counted);
        index.put([
          {
            memory_id: 'a',
            counts: termCountsToJson(whole.counts),
            length: whole.length,
            ...ofCompany,
            passage_terms: stored?.places ?? null,
            passage_lengths: stored?.lengths ?? null,
          },
        ]);
        const scores = passagesOf(content).map((passage) => {
          const { counts: termFrequencies, length } = termCounts(passageText(content, passage));
          return match(weighted, { termFrequencies, length }).bm25;
        });
        const best = Math.max(0, ...scores);
        const inMemory = index.passages(weighted, ['a', 'unknown']);
        expect(inMemory[1]).toBeUndefined();
        const json = stored && (JSON.parse(stored.places) as Record<string, string>);
        const found =
          stored &&
          bestPassage(
            weighted,
            weighted.terms.map((term) => (json![term] === undefined ? undefined : placesOf(json![term]))),
            lengthsOf(stored.lengths),
          );
        expect(inMemory[0]).toEqual(found);
        if (best === 0) expect(found).toBeUndefined();
        else {
          expect(scores[found!.passage]).toBeCloseTo(best, 9);
          expect(index.best(weighted, 5)).toEqual(['a']);
        }
      }),
    );
  });

  it('[A5] finds a memory until the memory changes or is removed', () => {
    const index = new ResidentWords();
    const row = (id: string, passages: readonly string[]) => ({
      memory_id: id,
      counts: '{"filler":500}',
      length: 500,
      ...ofCompany,
      passage_terms: `{${passages.map((term, n) => `"${term}":"${n}:1"`).join(',')}}`,
      passage_lengths: passages.map(() => '90').join(' '),
    });
    const asking = (term: string) => weigh([term], statistics);
    index.put([row('a', ['red', 'green']), row('b', ['blue', 'black'])]);
    expect(index.best(asking('green'), 5)).toEqual(['a']);
    expect(index.best(asking('green'), 5, ['b'])).toEqual([]);
    expect(index.passages(asking('black'), ['a', 'b'])).toEqual([
      undefined,
      { passage: 1, length: 90, frequencies: [1] },
    ]);
    index.put([row('a', ['white'])]);
    expect(index.best(asking('green'), 5)).toEqual([]);
    index.remove('b');
    expect(index.best(asking('black'), 5)).toEqual([]);
    expect(index.documents).toBe(1);
  });
});

describe('the vectors of passages in RAM', () => {
  const dimension = 16;
  const vector = fc
    .array(fc.integer({ min: -50, max: 50 }), { minLength: dimension, maxLength: dimension })
    .map((numbers) => {
      const length = Math.hypot(...numbers) || 1;
      return Float32Array.from(numbers, (number) => number / length);
    });
  const memories = fc.array(fc.array(vector, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 });

  it('[A5] [A17] make a memory as near as its nearest passage', () => {
    fc.assert(
      fc.property(memories, vector, fc.integer({ min: 1, max: 10 }), (all, asked, limit) => {
        const index = new ResidentPassages();
        index.put(all.map((passages, n) => rowOf(`m${n}`, passages)));
        const expected = all.map((passages) => Math.max(...passages.map((passage) => dot(passage, asked))));
        const ids = all.map((_, n) => `m${n}`);
        const close = (cosine: number) => expect.closeTo(cosine, 3);
        expect(index.cosines(asked, [...ids, 'unknown'])).toEqual([...expected.map(close), null]);
        const sorted = expected.toSorted((left, right) => right - left).slice(0, limit);
        const near = index.nearest(asked, limit);
        expect(near.map(({ cosine }) => cosine)).toEqual(sorted.map(close));
        expect(new Set(near.map(({ id }) => id)).size).toBe(near.length);
        index.remove('m0');
        expect(index.nearest(asked, 10).map(({ id }) => id)).not.toContain('m0');
        expect(index.size).toBe(all.length - 1);
      }),
    );
  });

  function rowOf(id: string, passages: readonly Float32Array[]) {
    const numbers = Buffer.concat(
      passages.map((passage) => {
        const bytes = Buffer.alloc(4 * dimension);
        passage.forEach((number, at) => bytes.writeFloatBE(number, 4 * at));
        return bytes;
      }),
    );
    return { memory_id: id, passages: passages.map((_, n) => n), numbers };
  }

  function dot(left: Float32Array, right: Float32Array): number {
    return left.reduce((sum, value, at) => sum + value * right[at]!, 0);
  }
});
