import { expect, it } from 'vitest';
import { declarationsOf } from '../../src/domain/consistency/declared.ts';
import { namesIn } from '../../src/domain/routing/wanted.ts';

const letters = 'a'.repeat(200_000);

// What is taken up again at each letter takes minutes here, in which nobody else is answered.
it('[I4] one word of 200,000 letters is read once for what it declares and what it names', () => {
  const statement = { id: 'm', layer: 'user', scope: {}, metadata: {}, content: letters } as never;
  expect(declarationsOf(statement)).toEqual([]);
  expect(namesIn(letters)).toEqual([]);
  expect(namesIn(`${letters} inc-42`)).toEqual(['inc-42'].map((name) => name.replace('-', ' ')));
}, 20_000);

it('labels and names are read as before', () => {
  const statement = { metadata: {}, content: 'Superseded by: 42\nreplaces: 7\nobsoleted-by: 9' } as never;
  expect(declarationsOf(statement).map(({ value }) => value)).toEqual(['42', '7', '9']);
  expect(namesIn('see inc-42, KEP_2313 and x-y')).toHaveLength(2);
});
