import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectInconsistencies } from '../../src/domain/consistency/detect-inconsistencies.ts';
import type { ComparableMemory } from '../../src/domain/consistency/comparable-memory.ts';
import { SupersessionGraph } from '../../src/domain/links/supersession-graph.ts';

const noLinks = { supersessions: new SupersessionGraph([]), contradicts: [] };
const nothing = { contradictions: [], supersessions: [] };

const subject = fc.constantFrom('The pool', 'Ida', 'The audit of Oslo', 'Fernbank', 'The gate', '健二さん');
const fact = fc.oneof(
  fc.integer({ min: 1, max: 900 }).map((euros) => `costs ${euros} EUR per visit`),
  fc.integer({ min: 1, max: 28 }).map((day) => `is on ${day} May`),
  fc.constantFrom('Bronze', 'Silver', 'Gold').map((plan) => `is on the ${plan} plan`),
  fc.constantFrom('phone', 'e-mail', 'chat').map((way) => `prefers contact by ${way}`),
  fc.constantFrom('now opens at 06:30', 'no longer opens at 07:00', 'moved to Elmweg 12', 'is owned by Mia'),
  fc.constantFrom('セミコロンなし', 'this is », a "quote" (of) sorts', 'from 5 to 7 seats; 9 → 11'),
);
const sentence = fc.tuple(subject, fact).map((parts) => `${parts.join(' ')}.`);
const text = fc.oneof(
  fc.array(sentence, { minLength: 1, maxLength: 8 }).map((sentences) => sentences.join(' ')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
);
const moment = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined });
const fields = moment.map((month) =>
  month === undefined ? {} : { occurredAt: `2026-0${month}-01T00:00:00.000Z` },
);

function statement(id: string, content: string, more: object = {}): ComparableMemory {
  return { id, content, scope: {}, metadata: {}, ...more };
}

describe('inconsistencies of texts', () => {
  it('[A14] do not depend on the order of the memories, and each quotes both', () => {
    fc.assert(
      fc.property(text, text, fields, fields, (left, right, own, others) => {
        const pair = [statement('a', left, own), statement('b', right, others)];
        const answer = detectInconsistencies(pair, noLinks);
        expect(detectInconsistencies(pair.toReversed(), noLinks)).toEqual(answer);
        for (const { reasons } of [...answer.contradictions, ...answer.supersessions])
          for (const reason of reasons)
            if (reason.code === 'update')
              for (const quote of reason.passages)
                expect(left.includes(quote) || right.includes(quote)).toBe(true);
      }),
    );
  });

  it('[A14] without times mirror each other if the memories change places', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        const forwards = detectInconsistencies([statement('a', left), statement('b', right)], noLinks);
        const backwards = detectInconsistencies([statement('a', right), statement('b', left)], noLinks);
        expect(forwards.contradictions.length).toBe(backwards.contradictions.length);
        expect(forwards.contradictions.map(({ confidence }) => confidence)).toEqual(
          backwards.contradictions.map(({ confidence }) => confidence),
        );
      }),
    );
  });

  it('[A14] never exist between a text and itself', () => {
    fc.assert(
      fc.property(text, fields, fields, (same, own, others) => {
        const pair = [statement('a', same, own), statement('b', same, others)];
        expect(detectInconsistencies(pair, noLinks)).toEqual(nothing);
      }),
    );
  });

  it('[A14] never exist between texts without a common word', () => {
    const number = fc.integer({ min: 1, max: 999 });
    fc.assert(
      fc.property(number, number, fields, fields, (own, others, left, right) => {
        const pair = [
          statement('a', `Harbour tug boats now burn ${own} EUR of diesel on ${(own % 28) + 1} May.`, left),
          statement(
            'b',
            `Violin lessons moved: Greta pays ${others} EUR, first on ${(others % 28) + 1} June.`,
            right,
          ),
        ];
        expect(detectInconsistencies(pair, noLinks)).toEqual(nothing);
      }),
    );
  });
});
