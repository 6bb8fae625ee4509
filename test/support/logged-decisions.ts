import * as fc from 'fast-check';
import type { Arm, LoggedDecision, Outcome } from '../../src/domain/learning/logged-decision.ts';

export const arms: readonly Arm[] = ['standard', 'decomposition'];

const unit = fc.double({ min: 0, max: 1, noNaN: true });

export const features = fc.record({
  score: unit,
  threshold: fc.oneof(fc.constantFrom(0, 0.3, 0.6, 1, 1.01), unit),
  layers: unit,
  aggregation: unit,
  comparison: unit,
  structure: unit,
});

export const outcomes: fc.Arbitrary<Outcome> = fc.record({
  kind: fc.constantFrom('used', 'refined', 'ignored'),
  quality: fc.option(unit, { nil: undefined }),
  explicit: fc.constant(true),
});

/** A decision that a trainer may learn from: there was a choice, and its outcome is known. */
export const decisions: fc.Arbitrary<LoggedDecision> = fc
  .record({
    id: fc.uuid({ version: 7 }),
    features,
    propensity: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
    isDecomposed: fc.boolean(),
    principal: fc.constantFrom('ann', 'bob', 'cy', 'dee', 'eve'),
    outcome: outcomes,
    tokens: fc.nat(200_000),
  })
  .map(({ id, propensity, isDecomposed, ...rest }) => ({
    ...rest,
    searchId: id,
    arms,
    propensities: [1 - propensity, propensity],
    taken: isDecomposed ? 'decomposition' : 'standard',
    incumbent: 'standard',
    policyVersion: 'rules-1',
    evaluation: false,
    bootstrap: false,
  }));

/** Decisions with different search ids. */
export function batchOf(least: number, most = least): fc.Arbitrary<LoggedDecision[]> {
  return fc.uniqueArray(decisions, {
    minLength: least,
    maxLength: most,
    selector: ({ searchId }) => searchId,
  });
}
