import { describe, expect, it } from 'vitest';
import { splitStatements } from '../../src/adapters/sql/statements.ts';

describe('a script is cut into statements', () => {
  it.each([
    ['at its semicolons', 'select 1; select 2;\n;', ['select 1', 'select 2']],
    ['not inside strings', `select ';', 'it''s; here'; select 2`, [`select ';', 'it''s; here'`, 'select 2']],
    ['not at escaped quotes', `select E'\\';'; select 2`, [`select E'\\';'`, 'select 2']],
    ['not inside names', `select 1 as "a;""b"; select 2`, [`select 1 as "a;""b"`, 'select 2']],
    ['not inside dollar quotes', 'do $$ begin; end $$; select 2', ['do $$ begin; end $$', 'select 2']],
    ['not inside tagged ones', 'do $a$ $$;$$ $b$ ; $a$; select 2', ['do $a$ $$;$$ $b$ ; $a$', 'select 2']],
    [
      'not at parameters or names with a dollar',
      'select $1; select a$b$; select 2',
      ['select $1', 'select a$b$', 'select 2'],
    ],
    [
      'not inside comments',
      'select 1 -- a; b\n; /* c; /* d; */ e; */ select 2',
      ['select 1 -- a; b', '/* c; /* d; */ e; */ select 2'],
    ],
    ['with a backslash that escapes nothing', `select '\\'; select 2`, [`select '\\'`, 'select 2']],
    ['into none where it is empty', ' \n ', []],
  ])('%s', (_, script, statements) => {
    expect(splitStatements(script)).toEqual(statements);
  });
});
