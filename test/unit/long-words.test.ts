import { expect, it } from 'vitest';
import { findDeclarations } from '../../src/domain/consistency/declared-supersessions.ts';
import { detectInconsistencies } from '../../src/domain/consistency/detect-inconsistencies.ts';
import { SupersessionGraph } from '../../src/domain/links/supersession-graph.ts';
import { askedTimes } from '../../src/domain/ranking/dates.ts';
import { muchMetadata } from '../../src/domain/retrieval/posting-keys.ts';
import { postingsOf } from '../../src/domain/retrieval/postings.ts';
import { namesIn } from '../../src/domain/routing/vocabulary-request.ts';

const letters = 'a'.repeat(200_000);

// A regular expression that backtracks at each letter would block the process for minutes here.
it('[I4] one word of 200,000 letters is parsed in linear time', () => {
  const statement = { id: 'm', layer: 'user', scope: {}, metadata: {}, content: letters } as never;
  expect(findDeclarations(statement)).toEqual([]);
  expect(namesIn(letters)).toEqual([]);
  expect(namesIn(`${letters} inc-42`)).toEqual(['inc-42'].map((name) => name.replace('-', ' ')));
}, 20_000);

it('[I4] a line or a query of 200,000 spaces is parsed in linear time', () => {
  const content = `a:${' '.repeat(199_990)}x\ry`;
  expect(findDeclarations({ metadata: {}, content } as never)).toEqual([]);
  expect(askedTimes(`x${' '.repeat(19_998)}y`).months).toEqual([]);
}, 20_000);

it('[A14] declarations are found with all line terminators', () => {
  const lines = ['Title: a rule', 'Replaces:', '- R-7', '- R-8', 'Text'];
  for (const end of ['\n', '\r\n', '\r', '\u2028'])
    expect(
      findDeclarations({ metadata: {}, content: lines.join(end) } as never).map(({ value }) => value),
    ).toEqual(['R-7', 'R-8']);
});

// From a memory of the maximum size. If paths were built or hashed for each value, each path would contain this key.
const longName = 'k'.repeat(373_000);

it('[I4] a long metadata key above many values is indexed once', () => {
  const metadata = { [longName]: Array.from({ length: 186_000 }, () => 1) };
  const filed = postingsOf({
    ...{ layer: 'user', scope: { user: 'ada' }, spaces: [], tags: [], metadata },
    ...{ createdAt: new Date(0), updatedAt: new Date(0) },
  } as never);
  expect(filed).toContain(muchMetadata);
}, 20_000);

it('[I4] a long metadata key and 180,000 declarations are validated in bounded time', () => {
  const statement = (id: string, metadata: object) =>
    ({ id, layer: 'user', scope: {}, metadata, content: id, createdAt: '2026-01-01T00:00:00.000Z' }) as never;
  const members = Object.fromEntries(Array.from({ length: 46_000 }, (_, n) => [`a${n}`, 0]));
  const replaces = Array.from({ length: 180_000 }, () => 'X');
  const judged = detectInconsistencies(
    [
      statement('a', { [longName]: members }),
      statement('b', { replaces }),
      { ...(statement('c', {}) as object), externalId: 'X' } as never,
    ],
    { supersessions: new SupersessionGraph([]), contradicts: [] },
  );
  expect(judged.supersessions.map(({ memory, supersededBy }) => [memory, supersededBy])).toEqual([
    ['c', 'b'],
  ]);
}, 20_000);

it('labels and names are still recognized', () => {
  const statement = { metadata: {}, content: 'Superseded by: 42\nreplaces: 7\nobsoleted-by: 9' } as never;
  expect(findDeclarations(statement).map(({ value }) => value)).toEqual(['42', '7', '9']);
  expect(namesIn('see inc-42, KEP_2313 and x-y')).toHaveLength(2);
});
