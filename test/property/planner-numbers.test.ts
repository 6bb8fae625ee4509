import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOf } from '../../src/domain/routing/planner.ts';
import { filterText } from '../support/filter-text.ts';
import { vocabularyOf } from '../support/vocabulary.ts';

/** Every whole number below 1,000 is a value, so that a part of a number could be taken for one. */
const vocabulary = vocabularyOf(
  Array.from({ length: 1_000 }, (_, size) => ({
    scope: {},
    metadata: { size, label: String(size) },
    occurredAt: '2025-05-01T00:00:00Z',
  })),
);

/** Ways to write a number, which all mean it. */
const written = fc
  .tuple(fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }), fc.integer({ min: 0, max: 99 }))
  .chain(([whole, hundredths]) => {
    const value = Number(`${whole}.${String(hundredths).padStart(2, '0')}`);
    const grouped = (separator: string) =>
      value.toLocaleString('en-US', { minimumFractionDigits: 2 }).replaceAll(',', separator);
    return fc
      .constantFrom(
        value.toFixed(2),
        ...[',', ' ', '\u00a0', '\u202f', "'", '’', '_'].map(grouped),
        value.toLocaleString('de-DE', { minimumFractionDigits: 2 }),
        value.toExponential(12),
        `${value.toFixed(2).replace('-', '−')}`,
        `${(value / 1000).toFixed(5)}k`,
        `${(value / 1e6).toFixed(8)} million`,
      )
      .map((text) => ({ value, text }));
  });

describe('a number in a question', () => {
  it('[B4] [B6] is read whole or not at all, however it is written', () => {
    fc.assert(
      fc.property(
        written,
        fc.constantFrom('above', 'over', '>', 'more than', ''),
        ({ value, text }, comparator) => {
          const question = `list all parts with size ${comparator} ${text}`;
          const [operand, ...others] = planOf(question, vocabulary).operands;
          expect(others).toEqual([]);
          if (!operand?.filter) return;
          const [, number] = /^size (?:>|=) (\S+)$/.exec(filterText(operand.filter)) ?? [];
          expect(Number(number)).toBeCloseTo(value, 3);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
