import { describe, expect, it } from 'vitest';
import type { ListProjectionsAnswer, Projection } from '@stratalog/client';
import { callsOf } from '../../../console/src/screens/operations/call-figures.ts';
import { keyState, newKeyOf, scopesOf } from '../../../console/src/screens/operations/key-facts.ts';
import { draftOf, limitsOf } from '../../../console/src/screens/operations/limit-drafts.ts';
import { ratesOf, samplesOf, sumOf } from '../../../console/src/screens/operations/metrics.ts';
import { typedNumber } from '../../../console/src/screens/operations/numbers.ts';
import { partitionsOf } from '../../../console/src/screens/operations/partitions.ts';
import {
  byUrgency,
  lagsOf,
  parkedOf,
  progressOf,
  totalsOf,
} from '../../../console/src/screens/operations/read-model-state.ts';
import { routingChangeOf, routingDraftOf } from '../../../console/src/screens/operations/routing-fields.ts';

const text = `# HELP http_server_request_duration Time
# TYPE http_server_request_duration histogram
http_server_request_duration_count{http_request_method="GET",http_response_status_code="200",http_route="/v1/stats"} 3
http_server_request_duration_sum{http_request_method="GET",http_response_status_code="200",http_route="/v1/stats"} 0.6
http_server_request_duration_count{http_request_method="GET",http_response_status_code="403",http_route="/v1/stats"} 1
http_server_request_duration_count{http_request_method="POST",http_response_status_code="504",http_route="/v1/search"} 2
http_server_request_duration_bucket{le="+Inf",http_route="/v1/search"} 2
odd{name="a \\"quoted\\" \\\\ one, with } and\\nline"} 1.5e3
stratalog_requests_waiting 0
broken NaN
`;

describe('metrics', () => {
  const samples = samplesOf(text);

  it('reads names, labels and values, and leaves out comments and values that are no number', () => {
    expect(samples).toHaveLength(7);
    expect(samples.find(({ name }) => name === 'odd')).toEqual({
      name: 'odd',
      labels: { name: 'a "quoted" \\ one, with } and\nline' },
      value: 1_500,
    });
  });

  it('sums by labels, and tells 0 from not measured', () => {
    expect(sumOf(samples, 'http_server_request_duration_count')).toBe(6);
    expect(sumOf(samples, 'http_server_request_duration_count', { http_route: '/v1/search' })).toBe(2);
    expect(sumOf(samples, 'stratalog_requests_waiting')).toBe(0);
    expect(sumOf(samples, 'stratalog_relay_lag')).toBeUndefined();
  });

  it('groups requests by call, the most frequent first', () => {
    expect(callsOf(samples)).toEqual([
      { name: 'GET /v1/stats', count: 4, seconds: 0.6, refused: 1, failed: 0 },
      { name: 'POST /v1/search', count: 2, seconds: 0, refused: 0, failed: 2 },
    ]);
  });

  it('computes rates by the time between readings, from 0 after a restart, and none across a gap', () => {
    const readings = [
      { at: 0, counters: { a: 10 } },
      { at: 2, counters: { a: 14 } },
      { at: 4, counters: { a: 6 } },
      { at: 6, counters: { a: undefined } },
      { at: 8, counters: { a: 8 } },
    ];
    expect(ratesOf(readings, 'a')).toEqual([2, 3, null, null]);
  });
});

function model(name: string, lag: number, more: Partial<Projection> = {}): Projection {
  const live = { generation: 2, state: 'live', signature: '1', active: true, lock: 'here', position: 9, lag };
  return { name, generations: [live as Projection['generations'][number]], parked: [], ...more };
}

describe('read models', () => {
  const waiting = { generation: 2, stream: 's', position: 4, type: 'T', error: 'no' };
  const answer: ListProjectionsAnswer = {
    items: [model('a', 0), model('b', 7), model('c', 0, { parked: [waiting] })],
    reactors: [{ name: 'r', lock: 'free', position: 1, lag: 9, parked: [] }],
  };

  it('names what is furthest behind, reactors among them', () => {
    expect(lagsOf(answer)).toEqual([
      { name: 'r', value: 9 },
      { name: 'b', value: 7 },
    ]);
    expect(totalsOf(answer)).toEqual({
      largestLag: 9,
      furthest: 'r',
      parked: 1,
      rebuilding: 0,
      ready: 0,
      unattended: 1,
    });
  });

  it('puts parked streams first, then lag', () => {
    expect(byUrgency(answer.items).map(({ name }) => name)).toEqual(['c', 'b', 'a']);
    expect(parkedOf(answer)).toEqual([{ owner: 'c', ...waiting }]);
  });

  it('keeps the progress of a rebuild between 0 and 1', () => {
    expect(progressOf({ position: 5, head: 20 })).toBe(0.25);
    expect(progressOf({ position: 30, head: 20 })).toBe(1);
    expect(progressOf({ position: 0, head: 0 })).toBe(1);
  });

  it('sorts partitions by number', () => {
    const generations = model('a', 0).generations.map((one) => ({
      ...one,
      partitions: [
        { partition: '10', position: 1 },
        { partition: '2', position: 5 },
      ],
    }));
    expect(partitionsOf({ items: [{ ...model('a', 0), generations }, model('b', 0)] })).toEqual({
      partitions: ['2', '10'],
      rows: [{ name: 'a', positions: { '10': 1, '2': 5 } }],
    });
  });
});

describe('numbers', () => {
  it('tells an empty field from a mistake', () => {
    expect(typedNumber('Tokens', ' ', { least: 0 })).toEqual({ value: undefined });
    expect(typedNumber('Tokens', '1.5', { least: 0, isWhole: true })).toEqual({
      mistake: 'Tokens must be a whole number of at least 0',
    });
    expect(typedNumber('Share', '1.2', { least: 0, greatest: 1 })).toEqual({
      mistake: 'Share must be a number from 0 to 1',
    });
  });
});

describe('limits', () => {
  it('come out of their draft as they went in', () => {
    const limits = { perKey: { unitsPerSecond: 20, burst: 100 }, byRole: { auditor: { concurrency: 2 } } };
    expect(limitsOf(draftOf(limits))).toEqual({ limits });
    expect(limitsOf(draftOf({}))).toEqual({ limits: {} });
  });

  it('name the field that is wrong', () => {
    expect(limitsOf({ 'agent.concurrency': '0' })).toEqual({
      mistake: 'Requests at a time of each key of the role agent must be a whole number of at least 1',
    });
  });
});

describe('routing', () => {
  const before = routingDraftOf({
    enabled: true,
    threshold: 0.3,
    share: 1,
    shadow: false,
    exploration: true,
    languageModel: true,
    budgets: { wallMs: 5_000, queries: 24, steps: 60, tokens: 20_000, depth: 3 },
    reasoning: {
      enabled: true,
      strategy: 'auto',
      timeoutMs: 3_000,
      cacheSeconds: 3_600,
      cacheEntries: 10_000,
    },
  });

  it('sends only what was changed', () => {
    expect(routingChangeOf(before, before)).toEqual({ change: {}, isEmpty: true });
    const draft = {
      ...before,
      enabled: 'false',
      'budgets.depth': '0',
      'budgets.steps': '10',
      'reasoning.strategy': 'targeted',
    };
    expect(routingChangeOf(before, draft)).toEqual({
      isEmpty: false,
      change: { enabled: false, budgets: { depth: 0, steps: 10 }, reasoning: { strategy: 'targeted' } },
    });
  });

  it('refuses an empty or wrong number', () => {
    expect(routingChangeOf(before, { ...before, threshold: '' })).toHaveProperty('mistake');
    expect(routingChangeOf(before, { ...before, threshold: '2' })).toHaveProperty('mistake');
  });
});

describe('keys', () => {
  it('are revoked, expired or active', () => {
    const now = Date.parse('2026-11-29T12:00:00Z');
    expect(keyState({}, now)).toBe('active');
    expect(keyState({ expiresAt: '2026-11-29T12:00:00Z' }, now)).toBe('expired');
    expect(keyState({ expiresAt: '2026-11-28T12:00:00Z', revokedAt: '2026-11-27T12:00:00Z' }, now)).toBe(
      'revoked',
    );
  });

  it('leave out empty fields, and split lists at commas', () => {
    expect(newKeyOf('agent', { name: ' bot ', teams: 'a, ,b', user: '' })).toEqual({
      role: 'agent',
      name: 'bot',
      teams: ['a', 'b'],
    });
  });

  it('say what they reach', () => {
    const key = {
      id: 'k',
      role: 'agent',
      createdAt: '',
      orgs: [],
      projects: [],
      sessions: [],
      agents: [],
    } as const;
    expect(
      scopesOf({ ...key, orgs: [], projects: [], sessions: [], agents: [], teams: ['a', 'b'], user: 'ann' }),
    ).toBe('user ann · teams: a, b');
  });
});
