import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askedTimes } from '../../src/domain/ranking/dates.ts';
import { findPeriods } from '../../src/domain/text/periods.ts';

const words = (
  'in on since before after until from to between and or the of a last this next past previous two 3 24 12 couple hours day days ' +
  'week weeks month quarter year years weekend ago yesterday tomorrow today Monday Friday Sun march May Nov December 7 21 31 29 ' +
  '2024 2026 Q3 W53 first second not except 11/12/2026 21.11.2026 2026/11/21 2026-02-30 2024-2026 on, ? 1st 1 0 February'
).split(' ');
const anyText = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 6 })), { maxLength: 14 })
  .map((parts) => parts.join(' '));
const anyTime = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});

describe('the periods of any text', () => {
  it('[A8] begin before they end, are valid times, and do not overlap in the text', () => {
    fc.assert(
      fc.property(anyText, fc.option(anyTime, { nil: undefined }), (text, now) => {
        let last = 0;
        for (const { from, until, start, end } of findPeriods(text, now)) {
          expect(Date.parse(from)).toBeLessThan(Date.parse(until));
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('[A8] give ranges with at least one bound, the lower one first', () => {
    fc.assert(
      fc.property(anyText, anyTime, (text, now) => {
        for (const { from, until } of askedTimes(text, now).periods) {
          expect(from ?? until).toBeDefined();
          if (from !== undefined && until !== undefined)
            expect(Date.parse(from)).toBeLessThan(Date.parse(until));
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('[A8] of the past lie in it: yesterday, last week and "n days ago" end by the end of today', () => {
    const past = fc.oneof(
      fc.constantFrom(
        'yesterday',
        'last week',
        'last month',
        'last quarter',
        'last year',
        'last weekend',
        'on Monday',
      ),
      fc
        .tuple(fc.integer({ min: 1, max: 99 }), fc.constantFrom('days', 'weeks', 'months'))
        .map(([count, unit]) => `the past ${count} ${unit}`),
    );
    fc.assert(
      fc.property(
        past,
        fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
        (text, now) => {
          const [period, ...others] = findPeriods(text, now);
          expect(others).toEqual([]);
          const endOfToday = Math.floor(now.getTime() / 86_400_000 + 1) * 86_400_000;
          expect(Date.parse(period!.until)).toBeLessThanOrEqual(endOfToday);
        },
      ),
    );
  });
});
