import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { timestamp, zonedTimestamp } from '../../src/domain/memory/content.ts';
import { offsetOf, rangeInUtc, wallClock, zoned } from '../../src/domain/wall-clock.ts';

it.each([
  ['2026-11-02T21:30:00Z', 0],
  ['2026-11-02T21:30:00-08:00', -480],
  ['2026-11-02T21:30:00.5+05:45', 345],
  ['2026-11-02', 0],
])('[A8] reads the offset of %s', (time, offset) => expect(offsetOf(time)).toBe(offset));

it('[A8] shows a time as a clock shows it, and finds the time of what it shows', () => {
  expect(zoned('2026-11-03T05:30:00.000Z', -480)).toBe('2026-11-02T21:30:00.000-08:00');
  expect(zoned('2026-11-09T22:30:00.000Z', 540)).toBe('2026-11-10T07:30:00.000+09:00');
  expect(zoned('2026-11-09T22:30:00.000Z', 0)).toBe('2026-11-09T22:30:00.000Z');
  const times = fc.date({ min: new Date('0002-01-01'), max: new Date('9998-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(times, fc.integer({ min: -1_439, max: 1_439 }), (time, offset) => {
      const shown = zoned(time.toISOString(), offset);
      expect(new Date(shown)).toEqual(time);
      expect(offsetOf(shown)).toBe(offset);
      const { from } = rangeInUtc({ from: wallClock(time, offset).toISOString() }, offset);
      expect(from).toBe(time.toISOString());
    }),
  );
});

it.each([
  'yesterday',
  '2026-11-02',
  '2023-13-10T10:00:00Z',
  '2016-12-31T23:59:60Z',
  '0001-01-01T00:00:00+01:00',
  '',
])('[A1] %j is no time', (value) => {
  expect(zonedTimestamp.safeParse(value).success).toBe(false);
  expect(timestamp.safeParse(value).success).toBe(false);
});
