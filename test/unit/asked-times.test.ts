import { describe, expect, it } from 'vitest';
import { askedTimes, datedAs } from '../../src/domain/ranking/dates.ts';

/** A Thursday. */
const now = new Date('2026-03-12T15:00:00Z');

function ranges(question: string): string[] {
  return askedTimes(question, now).periods.map(({ from = '', until = '' }) => `${from}..${until}`);
}

describe('[A8] the ranges that a simple question asks about', () => {
  it.each<[question: string, ...ranges: string[]]>([
    ['sync notes since 2026-03-09', '2026-03-09..'],
    ['sync notes since Monday', '2026-03-09..'],
    ['sync notes since last week', '2026-03-02..'],
    ['sync notes before 2026-02-26', '..2026-02-26'],
    ['sync notes before March', '..2026-03'],
    ['what did we decide before 2025?', '..2025'],
    ['sync notes after 7 March', '2026-03-08..'],
    ['sync notes after the 7th of March', '2026-03-08..'],
    ['sync notes until yesterday', '..2026-03-12'],
    ['sync notes up to 7.3.2026', '..2026-03-08'],
    ['sync notes no later than March 7', '..2026-03-08'],
    ['sync notes not before March 7', '2026-03-07..'],
    ['sync notes from March 7 on', '2026-03-07..'],
    ['sync notes from March 7 onwards', '2026-03-07..'],
    ['sync notes of March 7 or later', '2026-03-07..'],
    ['sync notes of March 7 and before', '..2026-03-08'],
    ['sync notes between March 1 and March 9', '2026-03-01..2026-03-10'],
    ['sync notes between 2026-01-01 and 2026-03-09', '2026-01-01..2026-03-10'],
    ['sync notes from March 1 to March 9', '2026-03-01..2026-03-10'],
    ['sync notes since March 1 and before March 9', '2026-03-01..2026-03-09'],
    ['sync notes after March 1 but before March 9', '2026-03-02..2026-03-09'],
    ['sync notes before March 1 or after March 9', '..2026-03-01', '2026-03-10..'],
    ['sync notes since the beginning of March', '2026-03..'],
    ['sync notes since the start of the year', '2026..'],
    ['sync notes from earlier this month', '2026-03..2026-04'],
    ['sync notes before the end of 2025', '..2026'],
    ['sync notes after the end of last week', '2026-03-09..'],
    ['sync notes before the start of Q1 2026', '..2026-01'],
    ['sync notes from last week', '2026-03-02..2026-03-09'],
    ['what did we do the week before March 9, 2026?', '2026-03-09..2026-03-10'],
    ['sync notes not from last week'],
    ['sync notes except those of last week'],
    ['sync notes of 2026'],
    ['the limit after 2000 requests'],
    ['have I met Michael before?'],
    ['the day of the 11/12/2026 meeting'],
  ])('%s', (question, ...expected) => {
    expect(ranges(question)).toEqual(expected);
  });

  it('[A8] count less than a day or a week, and not at all outside', () => {
    const dated = (question: string) => datedAs('2026-03-03T15:00:00Z', askedTimes(question, now));
    expect(dated('what was said last week?')).toBe(2);
    expect(dated('what was said since 2026-03-01?')).toBe(1);
    expect(dated('what was said after 2026-03-03?')).toBe(0);
    expect(dated('what was said before March 2026?')).toBe(0);
    expect(dated('what was said not in March 2026?')).toBe(0);
    expect(dated('what was said in March 2026?')).toBe(1);
  });
});

describe('[A8] a day that a question names is a day of the asker', () => {
  const losAngeles = { now: new Date('2026-11-04T04:00:00Z'), utcOffset: -8 * 60 };
  const tokyo = { now: new Date('2026-11-24T22:30:00Z'), utcOffset: 9 * 60 };

  it.each([
    // 20:00 on 3 November in Los Angeles.
    ['what happened yesterday?', losAngeles, '2026-11-02T08:00:00.000Z..2026-11-03T08:00:00.000Z'],
    ['what happened on 2 November 2026?', losAngeles, '2026-11-02T08:00:00.000Z..2026-11-03T08:00:00.000Z'],
    ['what happened last week?', losAngeles, '2026-10-26T08:00:00.000Z..2026-11-02T08:00:00.000Z'],
    ['what happened since October?', losAngeles, '2026-10-01T08:00:00.000Z..'],
    ['what happened 2 hours ago?', losAngeles, '2026-11-04T01:00:00.000Z..2026-11-04T03:00:00.000Z'],
    // 07:30 on 25 November in Tokyo.
    ['what happened today?', tokyo, undefined],
    ['what happened yesterday?', tokyo, '2026-11-23T15:00:00.000Z..2026-11-24T15:00:00.000Z'],
    ['what happened on 10 November?', tokyo, '2026-11-09T15:00:00.000Z..2026-11-10T15:00:00.000Z'],
  ])('%s', (question, { now: asked, utcOffset }, expected) => {
    const { periods } = askedTimes(question, asked, utcOffset);
    expect(periods.map(({ from = '', until = '' }) => `${from}..${until}`)).toEqual(
      expected === undefined ? [] : [expected],
    );
  });

  it('[A8] and so is a month', () => {
    const inNovember = askedTimes('what happened in November?', undefined, -8 * 60);
    expect(datedAs('2026-12-01T05:30:00Z', inNovember)).toBe(1);
    expect(datedAs('2026-11-01T05:30:00Z', inNovember)).toBe(0);
  });

  it('[A8] is within the years that can be compared', () => {
    const dawn = askedTimes('what happened this month?', new Date('0001-01-15T00:00:00Z'), 14 * 60);
    expect(dawn.periods).toMatchObject([{ from: '0001-01', until: '0001-01-31T10:00:00.000Z' }]);
  });
});
