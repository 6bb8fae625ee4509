import { describe, expect, it } from 'vitest';
import { compareVersions, kindOf } from '../../src/domain/routing/planner/ordered-values.ts';
import { findPeriods } from '../../src/domain/text/periods.ts';

const now = new Date('2026-02-10T12:00:00Z');

function periods(text: string, at?: Date): string[] {
  return findPeriods(text, at).map(
    ({ from, until, start, end }) => `${text.slice(start, end)}: ${from}..${until}`,
  );
}

describe('the periods of', () => {
  it.each<[text: string, ...periods: string[]]>([
    ['since 2019', '2019: 2019..2020'],
    ['on 2024-12-31', '2024-12-31: 2024-12-31..2025-01-01'],
    ['in 2024-12', '2024-12: 2024-12..2025'],
    ['7 May 2023', '7 May 2023: 2023-05-07..2023-05-08'],
    ['Feb. 28, 2024', 'Feb. 28, 2024: 2024-02-28..2024-02-29'],
    ['December 2024', 'December 2024: 2024-12..2025'],
    ['Q4 2024 and 2025 Q1', 'Q4 2024: 2024-10..2025', '2025 Q1: 2025-01..2025-04'],
    ['31 June 2024 is no day', 'June 2024: 2024-06..2024-07'],
    ['since March', 'March: 2025-03..2025-04'],
    ['we may march on'],
    ['in February', 'February: 2026-02..2026-03'],
    ['last quarter', 'last quarter: 2025-10..2026'],
    ['this year', 'this year: 2026..2027'],
    ['last month', 'last month: 2026-01..2026-02'],
    ['the past 3 months', 'past 3 months: 2025-11-10..2026-02-11'],
    ['the next 0 weeks'],
    ['the last 2 weeks', 'last 2 weeks: 2026-01-27..2026-02-11'],
    ['yesterday', 'yesterday: 2026-02-09..2026-02-10'],
    ['on 3 June, 2023', '3 June, 2023: 2023-06-03..2023-06-04'],
    ['the 7th of May 2023', '7th of May 2023: 2023-05-07..2023-05-08'],
    ['the day before yesterday', 'the day before yesterday: 2026-02-08..2026-02-09'],
    ['5 days ago', '5 days ago: 2026-02-05..2026-02-06'],
    ['two weeks ago', 'two weeks ago: 2026-01-24..2026-01-31'],
    ['a month ago', 'a month ago: 2026-01..2026-02'],
    ['3 years ago', '3 years ago: 2023..2024'],
    // `now` is a Tuesday.
    ['on Monday', 'on Monday: 2026-02-09..2026-02-10'],
    ['last Tuesday', 'last Tuesday: 2026-02-03..2026-02-04'],
    ['last weekend', 'last weekend: 2026-02-07..2026-02-09'],
    ['a while ago, on the monday list'],
    ['port 20190 in 1.2019.3'],
    ['in the last week of August 2025', 'August 2025: 2025-08..2025-09'],
    ['the next week was quiet'],
    ['more than 3 weeks ago'],
    ['half a year ago'],
    ['2.5 weeks ago'],
    ['delivered the next day'],
    ['on Mondays, Sun and Mon'],
    ['top 5 June releases', 'June: 2025-06..2025-07'],
    ['in May 20 users', 'May: 2025-05..2025-06'],
    ['we may 7 times'],
    ['7 of 9 tests'],
    ['10:30 or 1/2 or 3-4'],
  ])('%s', (text, ...expected) => {
    expect(periods(text, now)).toEqual(expected);
  });

  it('a question without `now` are only the absolute ones', () => {
    expect(periods('since March, last week or in 2020')).toEqual(['2020: 2020..2021']);
  });
});

describe('[B4] the days, weeks and longer periods of', () => {
  it.each<[text: string, ...periods: string[]]>([
    ['2026/11/21', '2026/11/21: 2026-11-21..2026-11-22'],
    ['2026-11-21 14:00', '2026-11-21 14:00: 2026-11-21..2026-11-22'],
    ['2026-11-21T23:30:00+02:00', '2026-11-21T23:30:00+02:00: 2026-11-21..2026-11-22'],
    ['21.11.2026', '21.11.2026: 2026-11-21..2026-11-22'],
    ['7.3.2026', '7.3.2026: 2026-03-07..2026-03-08'],
    ['7. 3. 2026', '7. 3. 2026: 2026-03-07..2026-03-08'],
    ['21/11/2026', '21/11/2026: 2026-11-21..2026-11-22'],
    ['11/21/2026', '11/21/2026: 2026-11-21..2026-11-22'],
    ['21-11-2026', '21-11-2026: 2026-11-21..2026-11-22'],
    ['11/11/2026', '11/11/2026: 2026-11-11..2026-11-12'],
    ['21-Nov-2026', '21-Nov-2026: 2026-11-21..2026-11-22'],
    ['2026 Nov 21', '2026 Nov 21: 2026-11-21..2026-11-22'],
    ['Nov 21st, 2026', 'Nov 21st, 2026: 2026-11-21..2026-11-22'],
    ['Saturday, November 21, 2026', 'Saturday, November 21, 2026: 2026-11-21..2026-11-22'],
    ["Nov '26", "Nov '26: 2026-11..2026-12"],
    ['11/2026', '11/2026: 2026-11..2026-12'],
    ['March 7-9, 2026', 'March 7-9, 2026: 2026-03-07..2026-03-10'],
    ['7 to 9 March 2026', '7 to 9 March 2026: 2026-03-07..2026-03-10'],
    ['March to May 2026', 'March to May 2026: 2026-03..2026-06'],
    ['Q3/2026', 'Q3/2026: 2026-07..2026-10'],
    ['2026-Q3', '2026-Q3: 2026-07..2026-10'],
    ['third quarter of 2026', 'third quarter of 2026: 2026-07..2026-10'],
    ['H1 2026', 'H1 2026: 2026-01..2026-07'],
    ['week 47 of 2026', 'week 47 of 2026: 2026-11-16..2026-11-23'],
    ['2026-W01', '2026-W01: 2025-12-29..2026-01-05'],
    ['2020-2022', '2020-2022: 2020..2023'],
    ['Nov 21', 'Nov 21: 2025-11-21..2025-11-22'],
    ['Feb 9', 'Feb 9: 2026-02-09..2026-02-10'],
    ['21 November', '21 November: 2025-11-21..2025-11-22'],
    ['the 21st of November', '21st of November: 2025-11-21..2025-11-22'],
    ['on may 7', 'may 7: 2025-05-07..2025-05-08'],
    ['February 29', 'February 29: 2024-02-29..2024-03-01'],
    ['March 7 and March 9, 2024', 'March 7: 2024-03-07..2024-03-08', 'March 9, 2024: 2024-03-09..2024-03-10'],
    ['since Nov', 'Nov: 2025-11..2025-12'],
    ['in Q3', 'Q3: 2025-07..2025-10'],
    ['on the 7th?', 'on the 7th: 2026-02-07..2026-02-08'],
    ['on the 11th', 'on the 11th: 2026-01-11..2026-01-12'],
    ['on the 7th floor'],
    ['last week', 'last week: 2026-02-02..2026-02-09'],
    ['this week', 'this week: 2026-02-09..2026-02-16'],
    ['next week', 'next week: 2026-02-16..2026-02-23'],
    ['the week before last', 'the week before last: 2026-01-26..2026-02-02'],
    ['the past week', 'past week: 2026-02-03..2026-02-11'],
    ['in the last week', 'last week: 2026-02-03..2026-02-11'],
    ['the past two weeks', 'past two weeks: 2026-01-27..2026-02-11'],
    ['the last couple of days', 'last couple of days: 2026-02-08..2026-02-11'],
    ['the last 24 hours', 'last 24 hours: 2026-02-09T12:00:00.000Z..2026-02-11'],
    ['2 hours ago', '2 hours ago: 2026-02-10T09:00:00.000Z..2026-02-10T11:00:00.000Z'],
    ['a couple of days ago', 'a couple of days ago: 2026-02-08..2026-02-09'],
    ['the past month', 'past month: 2026-01-10..2026-02-11'],
    ['next month', 'next month: 2026-03..2026-04'],
    ['tomorrow', 'tomorrow: 2026-02-11..2026-02-12'],
    ['this morning', 'this morning: 2026-02-10..2026-02-11'],
    ['last night', 'last night: 2026-02-09..2026-02-10'],
    ['this Thursday', 'this Thursday: 2026-02-12..2026-02-13'],
    ['next Monday', 'next Monday: 2026-02-16..2026-02-17'],
    ['since Friday', 'Friday: 2026-02-06..2026-02-07'],
    ['on Fri', 'on Fri: 2026-02-06..2026-02-07'],
    ['Friday of last week', 'Friday of last week: 2026-02-06..2026-02-07'],
    ['last week on Monday', 'last week on Monday: 2026-02-02..2026-02-03'],
    ['from Monday to Wednesday', 'from Monday to Wednesday: 2026-02-09..2026-02-12'],
    ['last 24h', 'last 24h: 2026-02-09T12:00:00.000Z..2026-02-11'],
    ['past 7d', 'past 7d: 2026-02-03..2026-02-11'],
    ['2w ago', '2w ago: 2026-01-24..2026-01-31'],
    ['30 minutes ago', '30 minutes ago: 2026-02-10T11:20:00.000Z..2026-02-10T11:40:00.000Z'],
    ['the last 15 min', 'last 15 min: 2026-02-10T11:45:00.000Z..2026-02-11'],
    ['March last year', 'March last year: 2025-03..2025-04'],
    ['March 7 last year', 'March 7 last year: 2025-03-07..2025-03-08'],
    ['first quarter of this year', 'first quarter of this year: 2026-01..2026-04'],
    ['second half of last year', 'second half of last year: 2025-07..2026'],
    ['since the start of the year', 'the year: 2026..2027'],
    ['at the end of the year'],
    ['between last Monday and Friday', 'between last Monday and Friday: 2026-02-09..2026-02-14'],
    ['Q3 of last year', 'Q3 of last year: 2025-07..2025-10'],
    ['this weekend', 'this weekend: 2026-02-14..2026-02-16'],
  ])('%s', (text, ...expected) => {
    expect(periods(text, now)).toEqual(expected);
  });

  it.each(['11/12/2026', '3-4-2026', '31/02/2026', '2026/13/01', '32.1.2026', '2024/25', '2022-2020'])(
    'the ambiguous or impossible form %s are none, not even of a part of it',
    (text) => {
      expect(periods(`notes of ${text}`, now)).toEqual([]);
    },
  );
});

describe('ordered values', () => {
  it('compares versions number by number', () => {
    const sorted = ['1.10', '1.9', '0.0', 'v2.0', '1.9.1'].sort(compareVersions);
    expect(sorted).toEqual(['0.0', '1.9', '1.9.1', '1.10', 'v2.0']);
    expect(compareVersions('1.9', '1.9.0')).toBe(0);
  });

  it('are recognized by their form', () => {
    const kinds = [
      '1.27',
      'v3.12.1',
      '2024-05-01',
      '2024-05-01T10:00:00Z',
      '1559',
      '1.27 beta',
      'x',
      7,
      true,
    ];
    expect(kinds.map(kindOf)).toEqual([
      'version',
      'version',
      'date',
      'date',
      'number',
      'text',
      'text',
      'number',
      'text',
    ]);
  });
});
