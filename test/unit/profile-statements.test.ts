import { expect, it } from 'vitest';
import { profileStatements } from '../../src/domain/profile/statements.ts';

const told = (id: string, day: number) => ({ id, time: new Date(Date.UTC(2026, 0, day)) });
const [leeds, lyon, dog] = [told('leeds', 9), told('lyon', 20), told('dog', 3)];
const facts = new Map([
  [leeds, ['I live in Leeds.']],
  [dog, ['I have a dog.', 'It is called Basil.']],
  [lyon, ['I moved to Lyon.']],
]);

it('[A20] [E8] a profile tells what has changed after the newer fact, once, with both days', () => {
  const statements = profileStatements([leeds, dog, lyon], facts, new Map([['leeds', lyon]]));
  expect(statements).toEqual([
    {
      text: 'I moved to Lyon. (2026-01-20; on 2026-01-09: I live in Leeds.)',
      sources: [{ id: 'lyon' }, { id: 'leeds' }],
    },
    { text: 'I have a dog.', sources: [{ id: 'dog' }] },
    { text: 'It is called Basil.', sources: [{ id: 'dog' }] },
  ]);
});

it('[A20] [E8] a newer memory that says nothing about the user changes nothing', () => {
  const rota = told('rota', 25);
  expect(profileStatements([leeds], facts, new Map([['leeds', rota]]))).toEqual([
    { text: 'I live in Leeds.', sources: [{ id: 'leeds' }] },
  ]);
});
