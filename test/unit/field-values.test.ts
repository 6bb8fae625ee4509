import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../src/domain/filter.ts';
import { fieldValuesOf } from '../../src/domain/routing/field-values.ts';
import { matches } from '../support/filter-oracle.ts';
import { planOf } from '../../src/domain/routing/planner.ts';
import { vocabularyOf } from '../support/vocabulary.ts';

describe('the field values of a memory', () => {
  it('[B2] have names that filters can use, even for keys with dots', () => {
    const metadata = { 'service.name': 'checkout', labels: { 'app.kubernetes.io/name': ['shop', 'web'] } };
    const held = fieldValuesOf({ scope: {}, metadata });
    expect(held).toEqual([
      { field: 'metadata["service.name"]', value: 'checkout' },
      { field: 'metadata.labels["app.kubernetes.io/name"]', value: 'shop' },
      { field: 'metadata.labels["app.kubernetes.io/name"]', value: 'web' },
    ]);
    for (const { field, value } of held) {
      const filter = { [field]: { eq: value } };
      expect(() => parseFilter(filter)).not.toThrow();
      expect(matches(filter, { metadata })).toBe(true);
    }
  });

  it('[B2] become conditions of a plan, even for keys with dots', () => {
    const vocabulary = vocabularyOf(
      Array.from({ length: 12 }, (_, n) => ({
        scope: { org: 'shop' },
        metadata: { 'service.name': ['checkout', 'billing', 'search'][n % 3]! },
      })),
    );
    const plan = planOf('list all incidents of the service checkout', vocabulary, {
      now: new Date('2026-02-10T12:00:00Z'),
    });
    expect(plan.operands.map(({ filter }) => filter)).toEqual([
      { kind: 'test', field: 'metadata', path: ['service.name'], operator: 'eq', value: 'checkout' },
    ]);
  });
});
