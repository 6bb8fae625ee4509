import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Filter } from '../../src/domain/filter.ts';
import type { Plan } from '../../src/domain/routing/plan.ts';
import { proposalSchema } from '../../src/domain/routing/proposal.ts';
import { proposedPlan } from '../../src/domain/routing/proposed-plan.ts';
import type { Vocabulary } from '../../src/domain/routing/vocabulary.ts';
import { vocabularyOf } from '../support/vocabulary.ts';

const question = 'Compare the closed tickets of both shifts';

const anyMemory = fc.record({
  scope: fc.record({ team: fc.constantFrom('night', 'day'), user: fc.constantFrom('ann', 'bob') }),
  metadata: fc.record(
    {
      state: fc.constantFrom('open', 'Closed', 'in review'),
      release: fc.constantFrom('1.9', 'v1.10', '2.0'),
      beds: fc.integer({ min: 0, max: 99 }),
    },
    { requiredKeys: [] },
  ),
  occurredAt: fc.constantFrom('2026-01-02T00:00:00.000Z', undefined),
});

/** Answers that mostly follow the schema, with texts of an attacker. */
const field = fc.oneof(
  fc.constantFrom(
    ...['metadata.state', 'metadata.release', 'metadata.beds', 'scope.team', 'scope.user', 'occurredAt'],
    ...[
      'scope.company',
      'content',
      'createdBy',
      'id',
      'metadata',
      'metadata.',
      'metadata.__proto__',
      '__proto__',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const value = fc.oneof(
  fc.constantFrom('closed', 'open', 'night', 'ann', '1.10', '2026-01', '%', "' or 1=1 --", ''),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
);
const likely = fc.record({
  aggregation: fc.constantFrom('combine', 'compare', 'summarize'),
  parts: fc.array(
    fc.record({
      query: fc.oneof(fc.constantFrom('tickets', question, ''), fc.string({ unit: 'binary', maxLength: 50 })),
      conditions: fc.array(
        fc.record({ field, operator: fc.constantFrom('eq', 'gt', 'gte', 'lt', 'lte'), value }),
        { maxLength: 8 },
      ),
      follow: fc.constantFrom('scope', 'mentions', null),
    }),
    { maxLength: 8 },
  ),
});

/** Every test in a filter, with its depth. */
function testsOf(
  filter: Filter,
  depth = 1,
): { readonly test: Filter & { kind: 'test' }; readonly depth: number }[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.flatMap((inner) => testsOf(inner, depth + 1));
    case 'not':
      return testsOf(filter.filter, depth + 1);
    case 'test':
      return [{ test: filter, depth }];
    default:
      return filter satisfies never;
  }
}

function expectBounded({ operands, ...rest }: Plan, { fields, values }: Vocabulary): void {
  expect(Object.keys(rest)).toEqual(['aggregation']);
  expect(operands.length).toBeGreaterThan(0);
  expect(operands.length).toBeLessThanOrEqual(6);
  const known = new Map(fields.map((one) => [one.field, one]));
  for (const { label, query, filter, otherwise = [], follow: _, ...more } of operands) {
    // No layers and no scope: only the caller decides where to search.
    expect(more).toEqual({});
    expect(query.trim()).not.toBe('');
    expect(Math.max(label.length, query.length)).toBeLessThanOrEqual(400);
    expect(otherwise.length).toBeLessThanOrEqual(1);
    for (const { test, depth } of [filter ?? [], otherwise].flat().flatMap((one) => testsOf(one))) {
      expect(depth).toBeLessThanOrEqual(5);
      const name = test.field === 'metadata' ? `metadata.${test.path.join('.')}` : test.field;
      expect(known.has(name)).toBe(true);
      if (test.operator !== 'eq' && test.operator !== 'in') {
        expect(['date', 'number']).toContain(known.get(name)!.kind);
        continue;
      }
      const own = values.filter((one) => one.field === name).map((one) => one.value);
      for (const item of [test.value].flat()) expect(own).toContain(item);
    }
  }
}

describe('[B8] whatever a language model answers', () => {
  it('a plan has a limited size and names only what the caller may see', () => {
    let plans = 0;
    fc.assert(
      fc.property(
        fc.array(anyMemory, { maxLength: 6 }),
        fc.oneof({ weight: 4, arbitrary: likely as fc.Arbitrary<unknown> }, fc.jsonValue()),
        (memories, answer) => {
          const vocabulary = vocabularyOf(memories);
          const { data } = proposalSchema.safeParse(answer);
          const plan = data && proposedPlan(question, data, vocabulary);
          if (!plan) return;
          plans++;
          expectBounded(plan, vocabulary);
        },
      ),
      { numRuns: 2_000 },
    );
    expect(plans).toBeGreaterThan(200);
  });
});
