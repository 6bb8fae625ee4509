import { expect, it } from 'vitest';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { textHash, textHashSql } from '../../src/support/text-hash.ts';

it('names a text in SQL as in the program', async () => {
  const texts = ['', 'tea', 'Grüße, 你好 🙂', "it's", ...Array.from({ length: 40 }, (_, n) => `note ${n}`)];
  const sql = await openPglite();
  try {
    const rows = await sql.query<{ name: string }>(
      `select ${textHashSql('t.text')} as name from unnest($1::text[]) with ordinality t (text, place) order by place`,
      [texts],
    );
    const names = texts.map(textHash);
    expect(rows.map(({ name }) => name)).toEqual(names);
    // Or else the letters in which base64 and base64url differ are not among them.
    expect(names.join('')).toMatch(/-.*_|_.*-/);
  } finally {
    await sql.close();
  }
});
