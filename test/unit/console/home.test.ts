import type { ReadinessStates } from '@stratalog/client';
import { describe, expect, it } from 'vitest';
import { connections } from '../../../console/src/screens/home/connections.ts';
import { counted, noEvents } from '../../../console/src/screens/home/counts.ts';
import { needsOf, type Answers } from '../../../console/src/screens/home/needs.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

const follower = (name: string, lag = 0, parked = 0) =>
  ({ name, position: 10, lag, lock: 'here', parked }) as const;

const ready: Answers['readiness'] = {
  status: 'ready',
  profile: 'embedded',
  roles: ['api'],
  identity: 'development',
  log: { head: 10, position: 'p' },
  projections: [follower('memories')],
  reactors: [follower('erasures')],
  backEnds: {},
};

const well: Answers = {
  readiness: ready,
  reviews: { count: 0, hasMore: false },
  failedDocuments: 0,
  budget: undefined,
  stats: undefined,
  heads: undefined,
};

const idsOf = (answers: Partial<Answers>): string[] =>
  needsOf({ ...well, ...answers }, now).map(({ id }) => id);

const budget = (spent: number, exhausted = false): Answers['budget'] => ({
  period: 'day',
  tokens: 1_000,
  spent: { tokens: spent, usd: 0 },
  reserved: { tokens: 0, usd: 0 },
  resetsAt: '2026-03-02T00:00:00Z',
  exhausted,
});

describe('what needs a person', () => {
  it('[J5] is nothing while all is well, and while nothing is known', () => {
    expect(idsOf({})).toEqual([]);
    expect(idsOf({ readiness: undefined, reviews: undefined, failedDocuments: undefined })).toEqual([]);
  });

  it('[J5] begins with what is broken', () => {
    const projections = [follower('vectors', 5_000), follower('memories', 0, 2)];
    const readiness = {
      ...ready,
      projections,
      backEnds: { kafka: { state: 'down', error: 'refused' } },
    } as const;
    const reviews = { count: 100, hasMore: true };
    const needs = needsOf({ ...well, readiness, reviews }, now);
    expect(needs.map(({ id, tone }) => `${id} ${tone}`)).toEqual([
      'back-end-kafka danger',
      'parked danger',
      'lag warn',
      'reviews warn',
    ]);
    expect(needs.at(-1)).toMatchObject({ figure: '100+', to: '/review' });
  });

  it('[J5] leads to the documents that failed, by the filter that the list reads', () => {
    const [need] = needsOf({ ...well, failedDocuments: 2 }, now);
    expect(need).toMatchObject({ to: '/documents', values: { state: 'failed' } });
  });

  it('[J5] is a budget once four fifths are spent', () => {
    expect(idsOf({ budget: budget(799) })).toEqual([]);
    expect(needsOf({ ...well, budget: budget(800) }, now)).toMatchObject([{ figure: '80 %', tone: 'warn' }]);
    expect(needsOf({ ...well, budget: budget(900, true) }, now)).toMatchObject([{ tone: 'danger' }]);
  });

  it('[J5] is a signed head that is old while events came', () => {
    const heads = (size: number, at: string): Answers['heads'] => ({
      origin: 'log',
      verifierKey: 'k',
      items: [{ size, root: 'r', at, position: 'p', note: 'n' }],
    });
    expect(idsOf({ heads: heads(4, '2026-03-01T08:00:00Z') })).toEqual(['head']);
    expect(idsOf({ heads: heads(4, '2026-03-01T11:00:00Z') })).toEqual([]);
    expect(idsOf({ heads: heads(10, '2026-03-01T08:00:00Z') })).toEqual([]);
  });

  it('[J5] names what has parked streams to roles that see no figures', () => {
    const states: ReadinessStates = {
      status: 'ready',
      profile: 'embedded',
      roles: ['api'],
      identity: 'credentials',
      log: { state: 'up' },
      projections: [
        { name: 'memories', state: 'following' },
        { name: 'vectors', state: 'parked' },
      ],
      reactors: [],
      backEnds: {},
    };
    expect(needsOf({ ...well, readiness: states }, now)).toMatchObject([
      { id: 'parked', what: 'with parked streams: vectors' },
    ]);
  });
});

describe('the counts of what happens now', () => {
  it('[J5] count each event once', () => {
    const types = [
      'MemoryStored',
      'SearchPerformed',
      'MemoriesAccessed',
      'AuditRead',
      'DocumentStored',
      'OutcomeObserved',
    ];
    const counts = counted(
      noEvents,
      types.map((type) => ({ type })),
    );
    expect(counts).toEqual({ changes: 2, searches: 1, reads: 2, all: 6 });
    expect(counted(counts, [{ type: 'ContextAssembled' }])).toMatchObject({ searches: 2, all: 7 });
  });
});

describe('the ways to connect an agent', () => {
  it('[J5] name this server, and never a key', () => {
    for (const needsKey of [true, false])
      for (const { text } of connections('https://memory.example.com', needsKey)) {
        expect(text).toContain('https://memory.example.com');
        expect(text.includes('STRATALOG_API_KEY')).toBe(needsKey);
      }
  });
});
