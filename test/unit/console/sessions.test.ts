import type { AuditEvent, StoredMemory } from '@stratalog/client';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeOf, rewardOf } from '../../../console/src/screens/session/helped.ts';
import { recentSessions } from '../../../console/src/screens/session/recent-sessions.ts';
import { figuresOf, timelineOf } from '../../../console/src/screens/session/timeline.ts';
import * as server from '../../../src/domain/learning/outcome.ts';
import { rewardOf as serverReward } from '../../../src/domain/learning/reward.ts';

const minute = (number: number) => `2026-03-01T10:${String(number).padStart(2, '0')}:00.000Z`;

function event(type: string, at: string, data: Record<string, unknown>): AuditEvent {
  return { id: `${type}-${at}`, type, at, actor: 'user:ann', data } as unknown as AuditEvent;
}

const search = (searchId: string, at: string, data: object = {}) =>
  event('SearchPerformed', at, {
    searchId,
    query: `question ${searchId}`,
    sessionId: 's',
    results: [],
    warnings: [],
    durationMs: 5,
    route: 'standard',
    tokens: 100,
    ...data,
  });

const turn = (id: string, at: string, session = 's') =>
  ({
    id,
    content: `turn ${id}`,
    createdAt: at,
    createdBy: 'user:ann',
    scope: { company: 'c', session },
  }) as unknown as StoredMemory;

const context = (searchId: string, at: string, tokenCount: number) =>
  event('ContextAssembled', at, { searchId, tokenCount, tokenBudget: 500, items: [], leftOut: [] });

describe('the timeline of a session', () => {
  const events = [
    search('a', minute(1)),
    context('a', minute(1), 40),
    event('LanguageModelCalled', minute(1), {
      searchId: 'a',
      model: 'big',
      inputTokens: 1_000_000,
      outputTokens: 500_000,
    }),
    search('elsewhere', minute(2), { sessionId: 'other' }),
    context('elsewhere', minute(2), 1_000),
    search('b', minute(4)),
    event('OutcomeObserved', minute(5), {
      searchId: 'a',
      kind: 'used',
      source: 'caller',
      memoryIds: ['m'],
      quality: 0.5,
    }),
    event('SessionEnded', minute(6), { sessionId: 'other' }),
    event('SessionEnded', minute(7), { sessionId: 's' }),
  ];
  const entries = timelineOf('s', [turn('t2', minute(3)), turn('t1', minute(0))], events);

  it('has turns, searches and the end in the order of time', () => {
    expect(entries.map(({ kind, at }) => [kind, at])).toEqual([
      ['turn', minute(0)],
      ['search', minute(1)],
      ['turn', minute(3)],
      ['search', minute(4)],
      ['ended', minute(7)],
    ]);
  });

  it('says of each search what entered the prompt and what became of it', () => {
    const [first, second] = entries.filter((entry) => entry.kind === 'search');
    expect(first).toMatchObject({ outcome: { kind: 'used', quality: 0.5 }, tokens: 100 });
    expect(first!.context?.data.tokenCount).toBe(40);
    expect(first!.reward).toBeCloseTo(0.5 + 0.3 * 0.999);
    expect(second).toMatchObject({ context: undefined, outcome: { kind: 'none' }, reward: undefined });
  });

  it('sums tokens and costs, and does not guess a price', () => {
    const price = { id: 'big', local: false, usdPerMillionTokens: { input: 2, output: 4 } };
    expect(figuresOf(entries, [price])).toMatchObject({
      turns: 2,
      searches: 2,
      contexts: 1,
      promptTokens: 40,
      searchTokens: 200,
      usd: 4,
      helped: 1,
      withoutOutcome: 1,
    });
    expect(figuresOf(entries, []).usd).toBeUndefined();
    expect(figuresOf(entries, [{ id: 'big', local: true }]).usd).toBe(0);
  });
});

it('a search stands where it was asked, not where its event was appended', () => {
  const id = '01a22829-1b0a-741d-b181-2912d989f0f2.93d0';
  const asked = new Date(0x01a228291b0a).toISOString();
  const later = new Date(0x01a228291b0a + 5_000).toISOString();
  const entries = timelineOf(
    's',
    [turn('t', later)],
    [search(id, new Date(Date.parse(later) + 1).toISOString())],
  );
  expect(entries.map(({ kind, at }) => [kind, at])).toEqual([
    ['search', asked],
    ['turn', later],
  ]);
});

describe('recent sessions', () => {
  it('come from searches and turns, the latest activity first', () => {
    const events = [
      search('a', minute(1)),
      context('a', minute(1), 40),
      event('OutcomeObserved', minute(2), { searchId: 'a', kind: 'used', source: 'context' }),
      event('OutcomeObserved', minute(3), { searchId: 'a', kind: 'used', source: 'caller' }),
      search('b', minute(9), { sessionId: 'later' }),
      search('c', minute(10), { sessionId: undefined }),
      event('SessionEnded', minute(4), { sessionId: 's' }),
    ];
    const sessions = recentSessions(events, [turn('t1', minute(0)), turn('t2', minute(5), 'silent')]);
    expect(sessions.map(({ id, lastAt }) => [id, lastAt])).toEqual([
      ['later', minute(9)],
      ['silent', minute(5)],
      ['s', minute(4)],
    ]);
    expect(sessions[2]).toEqual({
      id: 's',
      actors: ['user:ann'],
      firstAt: minute(0),
      lastAt: minute(4),
      turns: 1,
      searches: 1,
      promptTokens: 40,
      helped: 1,
      endedAt: minute(4),
      about: 'question a',
    });
    expect(sessions[1]!.about).toBe('turn t2');
  });
});

describe('whether a search helped', () => {
  const signal = fc.record(
    {
      kind: fc.constantFrom(...server.signalKinds),
      source: fc.constantFrom(...server.outcomeSources),
      memoryIds: fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 2 }),
      quality: fc.double({ min: 0, max: 1, noNaN: true }),
    },
    { requiredKeys: ['kind', 'source', 'memoryIds'] },
  );

  it('is judged as the server does', () => {
    fc.assert(
      fc.property(fc.array(signal, { maxLength: 6 }), fc.nat(200_000), (signals, tokens) => {
        const told = signals.map((one) => ({ ...one, searchId: 's' }));
        expect(outcomeOf(told)).toEqual(server.outcomeOf(signals));
        expect(rewardOf(outcomeOf(told), tokens)).toBeCloseTo(
          serverReward(server.outcomeOf(signals), tokens),
        );
      }),
    );
  });
});
