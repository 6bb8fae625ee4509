import { expect, it } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { textHash, textHashSql } from '../../src/support/text-hash.ts';

it('is the same in SQL and in the program', async () => {
  const texts = ['', 'tea', 'Grüße, 你好 🙂', "it's", ...Array.from({ length: 40 }, (_, n) => `note ${n}`)];
  const sql = await openPglite();
  try {
    const rows = await sql.query<{ name: string }>(
      `select ${textHashSql('t.text')} as name from unnest($1::text[]) with ordinality t (text, place) order by place`,
      [texts],
    );
    const names = texts.map(textHash);
    expect(rows.map(({ name }) => name)).toEqual(names);
    // Contain both characters in which base64url differs from base64, so the difference is tested.
    expect(names.join('')).toMatch(/-.*_|_.*-/);
  } finally {
    await sql.close();
  }
});
