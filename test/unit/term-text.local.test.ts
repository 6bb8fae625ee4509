import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/adapters/migrate.ts';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { termCountsToJson } from '../../src/domain/text/term-counts-json.ts';
import { termText } from '../../src/domain/text/term-text.ts';
import { queryTerms, termCounts } from '../../src/domain/text/tokens.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { projectionSchema } from '../../src/projections/schema.ts';

const textOf = (text: string) => termText(termCountsToJson(termCounts(text).counts));

it('has each term as often as it occurs, in the order of code points', () => {
  expect(textOf('Tea, green tea: 휴가는')).toBe('green tea tea 가는 휴가 ');
  expect(textOf('…')).toBe('');
  expect(textOf('tea '.repeat(100)).length).toBe('tea '.length * 32);
});

describe('read.term_text', () => {
  let sql: Sql;
  beforeAll(async () => {
    sql = await openPglite();
    await migrate(sql, 'projections', projectionSchema);
  });
  afterAll(() => sql.close());

  it('[G3] returns the same in SQL', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constant('𐌰 豈 ﷺ 휴가는 LeaseStore 1.27'),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const counts = termCountsToJson(termCounts(text).counts);
        const [row] = await sql.query<{ text: string }>('select read.term_text($1::json::jsonb) as text', [
          counts,
        ]);
        expect(row!.text).toBe(termText(counts));
      }),
      { numRuns: 60 },
    );
  });

  it('[A4] is found by a query in another written form through a BM25 index', async () => {
    await sql.execute(`create table public.texts (id text primary key, terms text not null);
      create index texts_terms on public.texts using bm25 (terms) with (text_config = 'simple')`);
    const texts = {
      holiday: '연차 휴가는 최소 일주일 전에 신청합니다.',
      warehouse: 'رقم المستودع هو ٤٤٢١.',
      key: 'המפתח למחסן',
      minutes: '會議紀錄',
      invoice: 'The total is €12,450.00.',
      lease: 'func (s *LeaseStore) RenewLease()',
      version: 'Kubernetes v1.27.3 at 10.0.0.1',
    };
    for (const [id, text] of Object.entries(texts))
      await sql.query('insert into public.texts values ($1, $2)', [id, textOf(text)]);
    const asked = { 휴가: 'holiday', '4421': 'warehouse', מפתח: 'key', 会议: 'minutes', '12450': 'invoice' };
    for (const [query, found] of Object.entries({ ...asked, store: 'lease', '1.27.3': 'version' })) {
      const score = `terms <@> to_bm25query($1, 'public.texts_terms')`;
      const terms = queryTerms(query).join(' ');
      const rows = await sql.query(`select id from public.texts where ${score} < 0 order by ${score}`, [
        terms,
      ]);
      expect(rows, query).toEqual([{ id: found }]);
    }
  });
});
