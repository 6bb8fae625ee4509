import { describe, expect, it } from 'vitest';
import { proposalInput, proposalSchema, type Proposal } from '../../src/domain/routing/proposal.ts';
import { proposedPlan, wantedByProposal } from '../../src/domain/routing/proposed-plan.ts';
import { vocabularyOf } from '../support/vocabulary.ts';

const question = 'Compare what the night shift and the day shift closed since March';
const memory = (team: string, metadata: Record<string, string | number>, occurredAt: string) => ({
  scope: { team },
  metadata,
  occurredAt,
});
const vocabulary = vocabularyOf([
  memory('night-shift', { state: 'Closed', release: 'v1.9', beds: 7 }, '2026-02-01T00:00:00.000Z'),
  memory('day-shift', { state: 'open', release: '1.10', beds: 9 }, '2026-04-01T00:00:00.000Z'),
  memory('day-shift', { state: 'closed', release: '2.0', beds: 12 }, '2026-05-01T00:00:00.000Z'),
]);

const part = (
  query: string,
  conditions: Proposal['parts'][0]['conditions'] = [],
  follow: Proposal['parts'][0]['follow'] = null,
) => ({ query, conditions, follow });
const eq = (field: string, value: string | number | boolean) => ({ field, operator: 'eq' as const, value });
const planned = (...parts: Proposal['parts']) =>
  proposedPlan(question, { aggregation: 'compare', parts }, vocabulary);
const filterOf = (...conditions: Proposal['parts'][0]['conditions']) =>
  planned(part('x', conditions))!.operands[0]!.filter;
const metadata = (name: string, operator: string, value: unknown) => ({
  kind: 'test',
  field: 'metadata',
  path: [name],
  operator,
  value,
});

describe('a plan made from a proposal', () => {
  it('has one operand per part, with its conditions as a filter and weaker filters after it', () => {
    const state = eq('metadata.state', 'closed');
    const plan = planned(
      part('discharges', [eq('scope.team', 'night shift'), state]),
      part('discharges', [eq('scope.team', 'day-shift')], 'mentions'),
    );
    const place = (value: string) => ({ kind: 'test', field: 'scope.team', path: [], operator: 'eq', value });
    const closed = metadata('state', 'in', ['Closed', 'closed']);
    expect(plan).toEqual({
      aggregation: 'compare',
      operands: [
        {
          label: 'discharges',
          query: 'discharges',
          filter: { kind: 'and', filters: [place('night-shift'), closed] },
          otherwise: [{ kind: 'or', filters: [closed, place('night-shift')] }],
        },
        { label: 'discharges', query: 'discharges', filter: place('day-shift'), follow: 'mentions' },
      ],
    });
  });

  it.each([
    ['dates', [{ field: 'occurredAt', operator: 'gte' as const, value: '2026-03' }], ['gte', '2026-03']],
    ['dates', [{ field: 'occurredAt', operator: 'gt' as const, value: '2026-03' }], ['gte', '2026-04']],
    ['dates', [{ field: 'occurredAt', operator: 'lte' as const, value: '2026' }], ['lt', '2027']],
  ])('converts %s to the limits of their period', (_, conditions, [operator, value]) => {
    expect(filterOf(...conditions)).toEqual({
      kind: 'test',
      field: 'occurredAt',
      path: [],
      operator,
      value,
    });
  });

  it('lists the known versions within a limit, because texts do not sort as versions', () => {
    const since = { field: 'metadata.release', operator: 'gte' as const, value: '1.10' };
    expect(filterOf(since)).toEqual(metadata('release', 'in', ['1.10', '2.0']));
    expect(filterOf(eq('metadata.release', '1.9'))).toEqual(metadata('release', 'eq', 'v1.9'));
    expect(filterOf({ ...since, value: 1.1 })).toBeUndefined();
    expect(filterOf({ ...since, value: 'the newest' })).toBeUndefined();
  });

  it('compares numbers with numbers', () => {
    const more = { field: 'metadata.beds', operator: 'gt' as const, value: 8 };
    expect(filterOf(more)).toEqual(metadata('beds', 'gt', 8));
    expect(filterOf({ ...more, value: 'eight' })).toBeUndefined();
    expect(filterOf(eq('metadata.beds', '7'))).toEqual(metadata('beds', 'eq', 7));
  });

  it('treats several values of a field as alternatives and applies all of its limits', () => {
    expect(filterOf(eq('metadata.state', 'open'), eq('metadata.state', 'closed'))).toEqual({
      kind: 'or',
      filters: [metadata('state', 'eq', 'open'), metadata('state', 'in', ['Closed', 'closed'])],
    });
    const limit = (operator: 'gt' | 'lt', value: number) => ({ field: 'metadata.beds', operator, value });
    expect(filterOf(limit('gt', 7), limit('lt', 12))).toEqual({
      kind: 'and',
      filters: [metadata('beds', 'gt', 7), metadata('beds', 'lt', 12)],
    });
  });

  it.each([
    ['a field that no memory has', eq('metadata.secret', 'closed')],
    ['a field of another tenant', eq('scope.company', 'other')],
    ['a field that is never in a vocabulary', eq('content', 'closed')],
    ['a value that no memory has', eq('metadata.state', 'archived')],
    ['a bound on texts', { field: 'metadata.state', operator: 'gt' as const, value: 'a' }],
    ['an invalid date', { field: 'occurredAt', operator: 'gte' as const, value: 'soon' }],
    ['an empty value', eq('metadata.state', '')],
  ])('leaves out %s', (_, condition) => {
    expect(planned(part('bed plan', [condition]))!.operands).toEqual([
      { label: 'bed plan', query: 'bed plan' },
    ]);
  });

  it('uses the question as the query of a part without words, and merges equal parts', () => {
    const state = eq('metadata.state', 'open');
    const plan = planned(part('', [state]), part(' ', [state]), part('beds'));
    expect(plan!.operands.map(({ query }) => query)).toEqual([question, 'beds']);
  });

  it('is undefined if only the question is left', () => {
    expect(planned(part(question))).toBeUndefined();
    expect(planned(part('', [eq('metadata.secret', 'x')], 'scope'))).toBeUndefined();
  });

  it('needs the values of the proposal from the vocabulary', () => {
    const parts = [part('a', [eq('metadata.state', 'In Review'), eq('x', 'v1.27'), eq('y', ' ')]), part('b')];
    expect(wantedByProposal({ aggregation: 'combine', parts })).toEqual({
      keys: ['in review', '1.27'],
      kinds: ['version'],
    });
  });
});

describe('the input of a model', () => {
  it('has a limited number of fields and values, fields with values first', () => {
    const many = vocabularyOf([
      ...Array.from({ length: 100 }, (_, n) => memory('a', { [`field${n}`]: 'x' }, '2026-01-01')),
      memory('b', { late: 'closed' }, '2026-01-01'),
    ]);
    const known = { fields: many.fields, values: many.values.filter(({ value }) => value === 'closed') };
    const input = proposalInput(`${question} ${'?'.repeat(9_000)}`, known, new Date('2026-11-22T10:00:00Z'));
    expect(input).toMatchObject({ today: '2026-11-22' });
    const fields = input['fields'] as unknown[];
    expect(fields[0]).toEqual({ field: 'metadata.late', kind: 'text', values: ['closed'] });
    expect(fields).toHaveLength(40);
    expect(JSON.stringify(input).length).toBeLessThan(6_000);
  });
});

describe('the schema of proposals', () => {
  const valid = { aggregation: 'combine', parts: [part('a')] };
  it.each([
    ['no parts', { ...valid, parts: [] }],
    ['too many parts', { ...valid, parts: Array.from({ length: 7 }, () => part('a')) }],
    ['too long a query', { ...valid, parts: [part('a'.repeat(401))] }],
    ['invalid text', { ...valid, parts: [part('a\0')] }],
    ['a lone surrogate', { ...valid, parts: [part('\ud83d')] }],
    ['another aggregation', { ...valid, aggregation: 'delete' }],
    ['an unknown property', { ...valid, scope: { org: 'other' } }],
    ['an unknown property of a part', { ...valid, parts: [{ ...part('a'), layers: ['user'] }] }],
    ['a filter as a condition', { ...valid, parts: [part('a', [{ or: [] } as never])] }],
  ])('refuses %s', (_, proposal) => {
    expect(proposalSchema.safeParse(valid).success).toBe(true);
    expect(proposalSchema.safeParse(proposal).success).toBe(false);
  });
});
