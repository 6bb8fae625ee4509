import { expect, it } from 'vitest';
import { bytesText, periodText, usdText } from '../../../console/src/ui/quantity.ts';

it('writes sizes in decimal units', () => {
  expect([0, 999, 1_000, 1_250_000, 20_000_000_000].map(bytesText)).toEqual([
    '0 bytes',
    '999 bytes',
    '1 kB',
    '1.3 MB',
    '20 GB',
  ]);
});

it('writes periods in their largest whole unit', () => {
  expect([1, 90, 120, 86_400, 604_800].map(periodText)).toEqual([
    '1 second',
    '90 seconds',
    '2 minutes',
    '1 day',
    '7 days',
  ]);
});

it('writes small amounts with two significant digits', () => {
  expect([0, 1.5, 0.000_034_56].map(usdText)).toEqual(['$0.00', '$1.50', '$0.000035']);
});
