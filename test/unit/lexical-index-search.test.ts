import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../src/domain/filter.ts';
import { mostAmong, type LexicalIndex, type LexicalQuery } from '../../src/ports/lexical-index.ts';
import type { Sql } from '../../src/ports/sql.ts';
import type { ReadView } from '../../src/queries/read-models.ts';
import { LexicalIndexSearch } from '../../src/queries/search/sources/lexical-index-search.ts';

const view = {
  generation: () => 1,
  table: () => 'lexical',
  position: 0,
} as unknown as ReadView;
const filter = parseFilter({ tags: { contains: 'kept' } });
const region = { tenant: 'acme', visibility: 'all' as const };

/** A search over memories whose scores grow with their ids. The filter matches those for which `passes` returns true. */
function searchAmong(count: number, passes: (number: number) => boolean) {
  const idOf = (number: number): string => String(number).padStart(9, '0');
  const requests: LexicalQuery[] = [];
  const index = {
    async search(query: LexicalQuery) {
      requests.push(query);
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
  return { search: new LexicalIndexSearch(sql, index), requests, idOf };
}

describe('words in a lexical index, filters in the database', () => {
  it('[A6] finds the best memories even if more match the filter than one query may list', async () => {
    const count = 2 * mostAmong + 20_000;
    const { search, requests, idOf } = searchAmong(count, (number) => number < count - 20_000);
    const found = await search.find(view, { region, text: 'fog', filter }, 50);
    const best = Array.from({ length: 50 }, (_, place) => idOf(count - 20_000 - 1 - place));
    expect(found).toEqual(best);
    expect(Math.max(...requests.map(({ among = [] }) => among.length))).toBeLessThanOrEqual(mostAmong);
    // One query over all memories, then three over a part each.
    expect(requests.length).toBe(4);
  });

  it('[A6] searches once if enough of the first results pass', async () => {
    const { search, requests } = searchAmong(1_000, (number) => number % 2 === 0);
    expect(await search.find(view, { region, text: 'fog', filter }, 50)).toHaveLength(250);
    expect(requests.length).toBe(1);
  });
});
