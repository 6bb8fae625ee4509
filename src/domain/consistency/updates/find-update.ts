import { changedValues } from './changed-values.ts';
import { changedChoices, choicesIn } from './choices.ts';
import { changedHolders, holdersIn } from './holders.ts';
import { ended, endsIn, resumed } from './ended.ts';
import { claimSteps, type Claims } from './claims.ts';
import type { Comparison, Update } from './support.ts';

const RULES: readonly ((comparison: Comparison) => readonly Update[])[] = [
  changedValues,
  changedChoices,
  changedHolders,
  ended,
  resumed,
];

/** The best supported update between the claims of two memories; undefined if there is none.
 * What both memories say word for word is no news and not outdated. */
export function findUpdate(comparison: Comparison): Update | undefined {
  // An update is told in a note or concerns one: two long texts share words and numbers by chance.
  if (!comparison.older.isNote && !comparison.newer.isNote) return undefined;
  const updates = RULES.flatMap((rule) => rule(comparison)).filter(
    ({ passages: [older, newer] }) =>
      !comparison.newer.sentences.has(older) && !comparison.older.sentences.has(newer),
  );
  return updates.reduce<Update | undefined>(
    (best, update) => (best === undefined || update.support > best.support ? update : best),
    undefined,
  );
}

/** `claimsOf` in steps, with everything extracted that the rules look for, so that a comparison itself takes little time. */
export function* preparedClaims(text: string): Generator<undefined, Claims, undefined> {
  const claims = yield* claimSteps(text);
  for (const [index, claim] of claims.claims.entries()) {
    choicesIn(claim);
    holdersIn(claim);
    endsIn(claim);
    if (index % 8 === 7) yield;
  }
  return claims;
}
