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
  ])('%s', (text, ...expected) => {
    expect(periods(text, now)).toEqual(expected);
  });

  it('a question without `now` are only the absolute ones', () => {
    expect(periods('since March, last week or in 2020')).toEqual(['2020: 2020..2021']);
  });
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
