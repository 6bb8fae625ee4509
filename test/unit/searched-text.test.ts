import { describe, expect, it } from 'vitest';
import { itemOf } from '../../src/domain/context/entries.ts';
import {
  joinedText,
  REPRESENTATION_MARK,
  searchedPassages,
  separatedText,
  textAround,
} from '../../src/domain/memory/searched-text.ts';
import { searchedPassageTerms, searchedTerms } from '../../src/domain/memory/searched-terms.ts';
import { countPassages } from '../../src/domain/text/passage-terms.ts';
import { passagesOf } from '../../src/domain/text/passages.ts';
import { termCounts } from '../../src/domain/text/tokens.ts';
import { placeInMemory } from '../../src/read-models/vectors/representations.ts';

const long = Array.from({ length: 40 }, (_, n) => `Worker ${n} was moved to rack ${n} at noon.`).join(' ');
const short = 'Green tea steeps at 80 degrees.';

describe('the searched text of a memory', () => {
  it.each([short, long, ''])('[H8] without representations is its content: %#', (content) => {
    const text = { content, representations: {} };
    expect(joinedText(text)).toBe(content);
    expect(searchedPassages(text)).toEqual(passagesOf(content));
    expect(searchedTerms(text)).toEqual(termCounts(content));
    expect(searchedPassageTerms(text)).toEqual(countPassages(content));
  });

  it('[H8] has the passages of the content, then of each representation in the order of their kinds', () => {
    const text = { content: short, representations: { code: 'brew(80)', graph: long } };
    const passages = searchedPassages(text);
    expect(passages[0]).toEqual({ start: 0, end: short.length });
    expect(passages.slice(1, -1).every(({ representation }) => representation === 'graph')).toBe(true);
    expect(passages.at(-1)).toEqual({ start: 0, end: 8, representation: 'code' });
    expect(passages).toHaveLength(2 + passagesOf(long).length);
    expect(textAround(text, passages.at(-1)!)).toBe('brew(80)');
    expect(textAround(text, passages[0]!)).toBe(short);
  });

  it('[H8] leaves out blank representations', () => {
    expect(searchedPassages({ content: short, representations: { code: ' \n' } })).toEqual([]);
  });

  it('[H8] can be read from one text again', () => {
    const text = { content: short, representations: { graph: 'a -> b', json_schema: '{"type":\n"object"}' } };
    expect(separatedText(joinedText(text))).toEqual(text);
    expect(separatedText(joinedText({ content: long, representations: {} })).content).toBe(long);
  });

  it('[H8] marks nothing inside a text', () => {
    const content = `A ${REPRESENTATION_MARK}code\nb`;
    const { representations } = separatedText(joinedText({ content, representations: { code: content } }));
    expect(Object.keys(representations)).toEqual(['code']);
    expect(separatedText(joinedText({ content, representations: {} })).representations).toEqual({});
  });

  it('[H8] has the terms of all its parts, and of each passage', () => {
    const text = { content: 'green tea', representations: { code: 'steep(tea)' } };
    const { counts, length } = searchedTerms(text);
    expect(Object.fromEntries(counts)).toMatchObject({ green: 1, tea: 2, steep: 1 });
    expect(length).toBe(4);
    const passages = searchedPassageTerms(text)!;
    expect(passages.lengths).toEqual([2, 2]);
    expect(passages.places.get('tea')).toEqual({ passages: [0, 1], counts: [1, 1] });
  });

  it('[H8] numbers the stored passages of representations from the end', () => {
    expect([0, 3, -2, -1].map((n) => placeInMemory(n, 6))).toEqual([0, 3, 4, 5]);
  });
});

describe('the item of a representation in a context', () => {
  it('[H8] says in its citation which one is quoted', () => {
    const memory = {
      id: 'm1',
      layer: 'user' as const,
      content: 'brew(80)',
      representation: 'code' as const,
      time: '2026-03-01T00:00:00Z',
      relevance: 0.9,
    };
    const entry = { kind: 'memory' as const, memory, span: { start: 0, end: 8 }, notes: { isDated: false } };
    const item = itemOf(entry, 1, (text) => text.length);
    expect(item).toMatchObject({ text: 'brew(80)', representation: 'code' });
    expect(item.citation).toBe('[1] user memory m1, 2026-03-01 (code)');
  });
});
