import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOf } from '../../src/domain/routing/planner.ts';
import { filterText } from '../support/filter-text.ts';
import { vocabularyOf } from '../support/vocabulary.ts';

const owners = ['api', 'web', 'data lake', 'site reliability', 'mobile'];
const vocabulary = vocabularyOf(
  Array.from({ length: 30 }, (_, n) => ({
    scope: {},
    metadata: { owner: owners[n % owners.length]!, status: ['active', 'retired'][n % 2]! },
    occurredAt: '2025-05-01T00:00:00Z',
  })),
);

const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
const phrase = (...parts: (string | fc.Arbitrary<string>)[]) =>
  fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((texts) => texts.filter((text) => text !== '').join(' '));
const ask = oneOf(
  'list all services',
  'which services are there',
  'show every service',
  'what are all the services',
);
const adverb = oneOf('', 'currently', 'still', 'actually');
const not = oneOf(
  'does not',
  "doesn't",
  'doesnt',
  'no longer',
  'never',
  'did not',
  'has not',
  'cannot',
  'will not',
);
const verb = oneOf(
  'own',
  'owns',
  'maintain',
  'run',
  'support',
  'deploy',
  'know',
  'look after',
  'need in 2025',
);
const except = oneOf(
  'except', 'except those of', 'excluding those in', 'except for', 'excluding', 'without', 'other than', 'apart from', 'aside from', 'besides', 'minus', 'not of',
  'not from', 'not owned by', 'not written by', 'not yet owned by any of', 'no longer owned by', 'but not of', 'of everyone but',
  'of every team but', 'owned by anyone but', 'with an owner other than', 'with an owner that is not', 'where owner is not',
  'where owner !=', 'which are in no way owned by', 'that do not belong to', 'with the exception of',
); // prettier-ignore
const party = (owner: fc.Arbitrary<string>) =>
  fc
    .tuple(oneOf('', 'the', 'team', 'the team'), owner, oneOf('', 'team', 'group'))
    .map((parts) => parts.filter((part) => part !== '').join(' '));
const anyOwner = fc.constantFrom(...owners);

/** A question whose values of `owner` are all negated, by what stands before or after them. */
const negated = fc.oneof(
  phrase(ask, oneOf('that', 'which', ''), party(anyOwner), adverb, not, verb),
  phrase(
    ask,
    'for which',
    party(anyOwner),
    oneOf('is not', "isn't", 'was never'),
    oneOf('the owner', 'responsible', 'on call'),
  ),
  phrase(ask, except, party(anyOwner)),
  phrase(ask, except, party(anyOwner), oneOf('and', 'or', ','), party(anyOwner)),
  phrase(ask, except, party(anyOwner), ',', party(anyOwner), oneOf('and', 'or', ', or'), party(anyOwner)),
  phrase(
    ask,
    'that',
    party(anyOwner),
    oneOf('and', 'or'),
    party(anyOwner),
    oneOf('do not', "don't", 'never'),
    verb,
  ),
  phrase(ask, 'that neither', party(anyOwner), 'nor', party(anyOwner), verb),
);

describe('the conditions of a question whose values are negated', () => {
  it('[B4] [B6] are never the positive ones', () => {
    fc.assert(
      fc.property(negated, (question) => {
        const { operands } = planOf(question, vocabulary, { now: new Date('2026-02-10T12:00:00Z') });
        for (const { filter, otherwise = [] } of operands)
          for (const one of [...(filter ? [filter] : []), ...otherwise])
            expect(filterText(one).replaceAll(/not owner (?:=|in) /g, '')).not.toMatch(/owner/);
      }),
      { numRuns: 2_000 },
    );
  });
});
