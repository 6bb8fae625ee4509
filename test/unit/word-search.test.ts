import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../src/domain/filter.ts';
import { inLexicalIndex } from '../../src/read-models/lexical/variant.ts';
import { mostAmong, type LexicalIndex, type LexicalQuery } from '../../src/ports/lexical-index.ts';
import type { Sql } from '../../src/ports/sql.ts';
import type { ReadView } from '../../src/queries/read-models.ts';
import { WordSearch } from '../../src/queries/search/word-search.ts';

const view = {
  signature: () => inLexicalIndex('lexical'),
  generation: () => 1,
  table: () => 'lexical',
  position: 0,
} as unknown as ReadView;
const filter = parseFilter({ tags: { contains: 'kept' } });
const region = { tenant: 'acme', visibility: 'all' as const };

/** Memories by growing ids, and by growing scores; the filter lets those through that pass. */
function searchAmong(count: number, passes: (number: number) => boolean) {
  const idOf = (number: number): string => String(number).padStart(9, '0');
  const asked: LexicalQuery[] = [];
  const index = {
    async search(query: LexicalQuery) {
      asked.push(query);
      const ids = query.among ?? Array.from({ length: count }, (_, number) => idOf(number));
      return ids.toSorted().toReversed().slice(0, query.limit);
    },
  } as unknown as LexicalIndex;
  const passing = Array.from({ length: count }, (_, number) => number)
    .filter(passes)
    .map(idOf);
  const sql = {
    async queryAs(_tenant: string, _text: string, parameters: readonly unknown[]) {
      const limit = parameters.at(-1) as number;
      const given = parameters.find((value): value is string[] => Array.isArray(value) && value.length > 1);
      const after = parameters.find((value) => /^\d{9}$/.test(String(value))) ?? '';
      const wanted = given && new Set(given);
      const found = passing.filter((id) => (wanted ? wanted.has(id) : id > String(after)));
      return found.slice(0, limit).map((memory_id) => ({ memory_id }));
    },
  } as unknown as Sql;
  return { search: new WordSearch(sql, { lexical: index }), asked, idOf };
}

describe('words in an index beside filters in the database', () => {
  it('[A6] finds the best of more memories than the index looks among at once', async () => {
    const count = 2 * mostAmong + 20_000;
    const { search, asked, idOf } = searchAmong(count, (number) => number < count - 20_000);
    const found = await search.find(view, { region, queryText: 'fog', perEngine: 50, filter });
    const best = Array.from({ length: 50 }, (_, place) => idOf(count - 20_000 - 1 - place));
    expect(found).toEqual(best);
    expect(Math.max(...asked.map(({ among = [] }) => among.length))).toBeLessThanOrEqual(mostAmong);
    // All of them, then part by part.
    expect(asked.length).toBe(4);
  });

  it('[A6] asks no more where enough of what was found first passes', async () => {
    const { search, asked } = searchAmong(1_000, (number) => number % 2 === 0);
    expect(await search.find(view, { region, queryText: 'fog', perEngine: 50, filter })).toHaveLength(250);
    expect(asked.length).toBe(1);
  });
});
