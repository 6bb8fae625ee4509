import { describe, expect, it } from 'vitest';
import { comparedInWords, movesOf } from '../../../console/src/screens/search/compare.ts';
import { greatestPart, reasonsOf } from '../../../console/src/screens/search/explanation.ts';
import {
  comparisonOf,
  isComparison,
  requestOf,
  valuesOf,
  withoutComparison,
} from '../../../console/src/screens/search/lab-settings.ts';

const at = '2026-03-01T10:00:00.000Z';

describe('settings of the search lab', () => {
  it('is a bare search without any', () => {
    expect(requestOf({ q: 'who may approve?' }, '', undefined)).toEqual({
      request: { query: 'who may approve?', topK: 10 },
    });
  });

  it('reads each side under its own names and shares the question', () => {
    const values = {
      q: 'release',
      threshold: '0.5',
      'b.topK': '3',
      'b.layers': 'team, org',
      'b.spaces': 'auto',
      'b.order': 'layer',
      'b.mode': 'standard',
      'b.session': 's1',
      'b.filter': '{"tags":{"eq":"x"}}',
    };
    expect(requestOf(values, '', undefined).request).toEqual({ query: 'release', topK: 10, threshold: 0.5 });
    expect(requestOf(values, 'b.', undefined).request).toEqual({
      query: 'release',
      topK: 3,
      layers: ['team', 'org'],
      spaces: 'auto',
      order: 'layer',
      mode: 'standard',
      sessionId: 's1',
      filter: { tags: { eq: 'x' } },
    });
  });

  it('reads the time of the console unless the side names one', () => {
    const timeOf = (asOf: string) => requestOf({ q: 'x', asOf }, '', at).request?.asOf;
    expect(timeOf('')).toBe(at);
    expect(timeOf('now')).toBeUndefined();
    expect(timeOf('2026-02-01T00:00:00+01:00')).toBe('2026-01-31T23:00:00.000Z');
    expect(timeOf('2682e4d097f7-2e0~b9fa14c8c9')).toBe('2682e4d097f7-2e0~b9fa14c8c9');
  });

  it.each([
    ['topK', '0', 'Results'],
    ['topK', '1.5', 'Results'],
    ['threshold', '1.1', 'Threshold'],
    ['threshold', 'high', 'Threshold'],
    ['filter', '{', 'Filter'],
    ['filter', '[1]', 'Filter'],
    ['layers', 'team,planet', 'Layers'],
  ])('names the field if %s is %s', (name, value, field) => {
    const { request, problem } = requestOf({ q: 'x', [name]: value }, '', undefined);
    expect(request).toBeUndefined();
    expect(problem).toContain(field);
  });

  it('begins a comparison with equal settings, and ends it without a trace', () => {
    const values = { q: 'x', threshold: '0.4', layers: 'team' };
    const compared = { ...values, ...comparisonOf(values) };
    expect(isComparison(compared)).toBe(true);
    expect(requestOf(compared, 'b.', at)).toEqual(requestOf(values, '', at));
    expect(isComparison({ ...compared, ...withoutComparison() })).toBe(false);
  });

  it('asks a recorded search again with its settings', () => {
    const recorded = {
      query: 'release',
      topK: 3,
      order: 'relevance',
      spaces: ['docs'],
      spaceChoice: { chosen: ['docs'] },
      threshold: 0,
      filter: { a: { eq: 1 } },
      sessionId: 's',
    };
    expect(requestOf(valuesOf(recorded), '', undefined).request).toEqual({
      query: 'release',
      topK: 3,
      order: 'relevance',
      spaces: 'auto',
      threshold: 0,
      filter: { a: { eq: 1 } },
      sessionId: 's',
    });
  });
});

describe('two answers side by side', () => {
  it('says of each result how far it moved', () => {
    expect([...movesOf(['a', 'b', 'c', 'e'], ['c', 'b', 'a', 'd'])]).toEqual([
      ['a', { kind: 'up', by: 2 }],
      ['b', { kind: 'same' }],
      ['c', { kind: 'down', by: 2 }],
      ['e', { kind: 'only' }],
    ]);
  });

  it('sums it up', () => {
    expect(comparedInWords(movesOf(['a'], ['a']), 0)).toBe('Both answers are the same.');
    expect(comparedInWords(movesOf(['a', 'b', 'e'], ['b', 'a', 'd']), 1)).toBe(
      '0 in the same place, 2 moved, 1 only here, 1 only in the other.',
    );
  });
});

describe('an explanation', () => {
  it('counts why candidates were left out, and forgets the results', () => {
    const candidates = [
      {},
      { reason: 'top-k' },
      { reason: 'far-behind' },
      { reason: 'far-behind' },
    ] as Parameters<typeof reasonsOf>[0];
    expect(reasonsOf(candidates)).toEqual([
      ['far-behind', 2],
      ['top-k', 1],
    ]);
  });

  it('draws the parts of all scores on one scale, by their size alone', () => {
    const candidates = [
      { parts: [{ part: 'base', logOdds: -18 }] },
      { parts: [{ part: 'dense', logOdds: 14 }] },
      { parts: [] },
    ] as unknown as Parameters<typeof greatestPart>[0];
    expect(greatestPart(candidates)).toBe(18);
    expect(greatestPart([])).toBeGreaterThan(0);
  });
});
