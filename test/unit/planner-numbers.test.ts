import { describe, expect, it } from 'vitest';
import { planOf } from '../../src/domain/routing/planner.ts';
import { filterText } from '../support/filter-text.ts';
import { vocabularyOf } from '../support/vocabulary.ts';

const vocabulary = vocabularyOf(
  Array.from({ length: 24 }, (_, n) => ({
    scope: {},
    metadata: {
      size: n * 1000,
      score: (n - 10) / 10,
      latencyMs: n,
      share_percent: n,
      floor: n,
      code: String(n),
      release: `v1.${27 + (n % 6)}`,
    },
    occurredAt: `20${20 + (n % 7)}-05-01T00:00:00Z`,
  })),
);
const now = new Date('2026-02-10T12:00:00Z');

function conditionsOf(question: string): string[] {
  return planOf(question, vocabulary, { now }).operands.flatMap(({ filter }) =>
    filter ? [filterText(filter)] : [],
  );
}

const none: string[] = [];

type Row = [question: string, conditions: string[]];

function table(rows: readonly Row[]): void {
  it.each<Row>([...rows])('%s', (question, conditions) => {
    expect(conditionsOf(question)).toEqual(conditions);
  });
}

describe('[B4] [B6] a number is read whole in', () => {
  table([
    ['list all parts with size above 18000', ['size > 18000']],
    ['list all parts with size over 18,000', ['size > 18000']],
    ['list all parts with size over 18 000', ['size > 18000']],
    ['list all parts with size over 18\u00a0000', ['size > 18000']],
    ["list all parts with size over 18'000", ['size > 18000']],
    ['list all parts with size over 18_000', ['size > 18000']],
    ['list all parts with size over 1,234,567.5', ['size > 1234567.5']],
    ['list all parts with size over 1,20,000', ['size > 120000']],
    ['list all parts with size over 12.450,00', ['size > 12450']],
    ['list all parts with size below 12,450.00', ['size < 12450']],
    ['list all parts with size below 2,500.5', ['size < 2500.5']],
    ['list all parts with size above 18k', ['size > 18000']],
    ['list all parts with size above 1.5K', ['size > 1500']],
    ['list all parts with size above 2M', ['size > 2000000']],
    ['list all parts with size above 18 thousand', ['size > 18000']],
    ['list all parts with size above 2.5 million', ['size > 2500000']],
    ['list all parts with size above 1e6', ['size > 1000000']],
    ['list all parts with size above 1.5E+3', ['size > 1500']],
    ['list all parts with size above $12,450.00', ['size > 12450']],
    ['list all parts with size above 18,000 bytes', ['size > 18000']],
    ['list all parts with size >= $ 18,000', ['size >= 18000']],
    ['list all parts with size larger than 18,000', ['size > 18000']],
    ['list all parts with size smaller than 18000', ['size < 18000']],
    ['list all parts with score below -0.5', ['score < -0.5']],
    ['list all parts with score below −0.5', ['score < -0.5']],
    ['list all parts with score > -.5', ['score > -0.5']],
    ['list all parts with score >= +1', ['score >= 1']],
    ['list all parts with score above 5e-1', ['score > 0.5']],
    ['list all parts with score between -1 and 0.5', ['(score >= -1 and score <= 0.5)']],
    ['list all parts with size between 5,000 and 10k', ['(size >= 5000 and size <= 10000)']],
    ['list all parts with size above 5,000 and below 10,000', ['(size > 5000 and size < 10000)']],
    ['list all parts with size 18,000', ['size = 18000']],
    ['list all parts with size not 18,000', ['not size = 18000']],
    ['list all parts with score -1', ['score = -1']],
    ['list all parts with latency above 5 ms', ['latencyMs > 5']],
    ['list all parts with latency above 5ms', ['latencyMs > 5']],
    ['list all parts with a share above 5%', ['share_percent > 5']],
    ['list all parts with a share of at least 5 percent', ['share_percent >= 5']],
    ['list all parts with floor 13', ['floor = 13']],
    ['list all parts with size 13,000 or 14k', ['size = 13000', 'size = 14000']],
  ]);
});

describe('[B4] [B6] no part of a number is read in', () => {
  table([
    ['list all parts with size over 12,5', none],
    ['list all parts with size over 18,00', none],
    ['list all parts with size over 1,2,3', none],
    ['list all parts with size above 10-20', none],
    ['list all parts with size above 10–20', none],
    ['list all parts with size above 1/2', none],
    ['list all parts with size above 5 1/2', none],
    ['list all parts with size above 10^6', none],
    ['list all parts with size above 2×10^6', none],
    ['list all parts with size above 10:30', none],
    ['list all parts with size above 18 GB', none],
    ['list all parts with size above 18kg', none],
    ['list all parts with size above 18m', none],
    ['list all parts with size above 5%', none],
    ['list all parts with latency above 5 s', none],
    ['list all parts with latency above 5 minutes', none],
    ['list all parts with score below - 5', none],
    ['list all parts with score below –5', none],
    ['list all parts with size above 5..6', none],
    ['list all parts with floor 13+', none],
    ['list all parts with floor 13,15', none],
    ['list all parts with floor 13-14', none],
    ['list all parts with code 13,000', none],
  ]);
});

describe('[B4] [B6] what only looks like such a number stays what it is in', () => {
  table([
    ['list all parts since 2024/05/01', ['occurredAt >= 2024-05-01']],
    [
      'list all parts between 2023-01-01 and 2024-12-31',
      ['(occurredAt >= 2023-01-01 and occurredAt < 2025-01-01)'],
    ],
    ['list all parts in v1.30', ['release = v1.30']],
    ['list all parts of 1.27, 1.28', ['release = v1.27', 'release = v1.28']],
  ]);
});
