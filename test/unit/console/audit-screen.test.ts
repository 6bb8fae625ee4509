import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '@stratalog/client';
import { chainOf } from '../../../console/src/screens/audit/causes.ts';
import { exportCommands } from '../../../console/src/screens/audit/commands.ts';
import { describeEvent, gistOf, memoriesOf } from '../../../console/src/screens/audit/describe.ts';
import { eventGroups } from '../../../console/src/screens/audit/event-groups.ts';
import { auditFilter, filtersIn, isWanted } from '../../../console/src/screens/audit/filter.ts';
import { savedIn, withSaved } from '../../../console/src/screens/audit/saved.ts';
import { emptyTail, grown, maxKept, type Tail } from '../../../console/src/screens/audit/tail.ts';
import { changesOf, changingTypes, countsOf, grouped } from '../../../console/src/screens/time/changes.ts';
import { eventDefinitions } from '../../../src/domain/events/registry.ts';

const one = '01a22823-c421-72d5-be30-92f7e98110b6';
const two = '01a22823-c59f-74ed-b5d3-1ac8f0195995';
const event = (given: Partial<AuditEvent>): AuditEvent => ({
  id: 'e',
  type: 'MemoryStored',
  stream: 'memory-local.x',
  revision: 0,
  position: '1',
  at: '2026-11-29T10:00:00.000Z',
  actor: 'user:ada',
  principal: 'key',
  cause: 'user',
  correlationId: '11111111-1111-4111-8111-111111111111',
  hash: '',
  data: {},
  ...given,
});

describe('[J5] the words of events', () => {
  it('name each group by types that exist', () => {
    for (const type of [...Object.values(eventGroups).flat(), ...changingTypes])
      expect(eventDefinitions.has(type), type).toBe(true);
  });

  it('say what happened, to which memories, and about what', () => {
    expect(describeEvent('MemoryStored')).toBe('Memory stored');
    expect(describeEvent('MemoriesAccessed')).toBe('Memories accessed');
    expect(
      memoriesOf({ memoryId: one, results: [{ memoryId: two }, { memoryId: one }], source: 'rule' }),
    ).toEqual([one, two]);
    expect(memoriesOf({ source: one, target: two })).toEqual([one, two]);
    expect(gistOf({ query: 'why?', kind: 'x' })).toBe('why?');
    expect(gistOf({ memoryIds: [one, two] })).toBe('2 memories');
    expect(gistOf({})).toBe('');
  });
});

describe('[J5] the filters of the audit', () => {
  it('become a query of the API', () => {
    expect(
      auditFilter({
        group: 'keys',
        actor: 'user:ada',
        session: 's',
        to: '',
        from: '2026-01-01T00:00:00Z',
        event: 'x',
      }),
    ).toEqual({
      type: eventGroups['keys'],
      actor: 'user:ada',
      'scope.session': 's',
      from: '2026-01-01T00:00:00Z',
    });
    expect(auditFilter({ type: 'MemoryStored, MemoryUpdated', group: 'keys' })).toEqual({
      type: ['MemoryStored', 'MemoryUpdated'],
    });
    expect(auditFilter({ to: '2026-02-01T00:00:00Z' }, '2026-01-01T00:00:00.000Z').to).toBe(
      '2026-01-01T00:00:00.000Z',
    );
    expect(filtersIn({ actor: 'a', event: 'x', at: 'y', layer: '' })).toEqual({ actor: 'a' });
  });

  it('select events that arrive', () => {
    const stored = event({
      data: { memoryId: one, layer: 'team', spaces: ['billing'], scope: { session: 's' } },
    });
    const passing = [
      {},
      { group: 'changes of memories' },
      { memory: one },
      { actor: 'user:ada' },
      { session: 's' },
      { layer: 'team' },
      { space: 'billing' },
      { correlation: stored.correlationId },
      { correlation: 'e' },
    ];
    const failing = [
      { group: 'keys' },
      { type: 'MemoryUpdated' },
      { memory: two },
      { actor: 'x' },
      { session: 'x' },
      { user: 'x' },
      { layer: 'org' },
      { space: 'x' },
      { outcome: 'x' },
      { stream: 'x' },
      { correlation: 'x' },
    ];
    for (const values of passing) expect(isWanted(values, stored), JSON.stringify(values)).toBe(true);
    for (const values of failing) expect(isWanted(values, stored), JSON.stringify(values)).toBe(false);
  });

  it('are saved under names, and read without harm from anything', () => {
    const saved = withSaved([{ name: 'a', values: { actor: 'x' } }], { name: 'a', values: { actor: 'y' } });
    expect(savedIn(JSON.stringify(saved))).toEqual([{ name: 'a', values: { actor: 'y' } }]);
    for (const text of [null, '', '{', '{}', '[1,null,{"name":1},{"name":"a"}]'])
      expect(savedIn(text)).toEqual([]);
    expect(savedIn('[{"name":"a","values":{"actor":1,"layer":"team","at":"x"}}]')).toEqual([
      { name: 'a', values: { layer: 'team' } },
    ]);
  });

  it('become commands, with quotes where a shell needs them', () => {
    const { cli, curl } = exportCommands(
      { type: ['MemoryStored', 'MemoryUpdated'], actor: "user:o'hara", 'scope.session': 's 1' },
      'https://x.example',
    );
    expect(cli).toBe(
      String.raw`stratalog audit events --type MemoryStored MemoryUpdated --actor 'user:o'\''hara' --session 's 1' --json > events.ndjson`,
    );
    expect(curl).toContain(
      "'https://x.example/v1/audit/events?type=MemoryStored&type=MemoryUpdated&actor=user%3Ao%27hara&scope.session=s+1&format=csv'",
    );
  });
});

describe('[J5] the live tail', () => {
  it('keeps the last thousand, newest first, and counts all', () => {
    let tail: Tail<number> = emptyTail;
    for (let n = 0; n < 25; n++)
      tail = grown(
        tail,
        Array.from({ length: 200 }, (_, k) => 200 * n + k),
      );
    expect(tail.seen).toBe(5_000);
    expect(tail.events).toHaveLength(maxKept);
    expect(tail.events.slice(0, 3)).toEqual([4_999, 4_998, 4_997]);
    expect(tail.events.at(-1)).toBe(4_000);
    expect(grown(tail, [])).toBe(tail);
    expect(
      grown(
        emptyTail,
        Array.from({ length: 3_000 }, (_, k) => k),
      ).events,
    ).toHaveLength(maxKept);
  });
});

describe('[J5] a chain of causes', () => {
  it('has the events of the command, what led to it and what it led to, as a tree', () => {
    const other = '22222222-2222-4222-8222-222222222222';
    const events = [
      event({ id: 'a', at: '1' }),
      event({ id: 'b', at: '2', causationId: 'a', correlationId: other }),
      event({ id: 'c', at: '3', causationId: 'b', correlationId: 'summaries' }),
      event({ id: 'd', at: '4', correlationId: 'summaries' }),
      event({ id: 'e', at: '5', correlationId: '33333333-3333-4333-8333-333333333333' }),
    ];
    const ids = (start: number) =>
      chainOf(events[start]!, events).map(({ event: { id }, depth }) => `${id}${depth}`);
    expect(ids(1)).toEqual(['a0', 'b1', 'c2']);
    expect(ids(0)).toEqual(['a0', 'b1', 'c2']);
    expect(ids(2)).toEqual(['a0', 'b1', 'c2']);
    expect(ids(3)).toEqual(['d0']);
    expect(chainOf(events[1]!, []).map(({ event: { id } }) => id)).toEqual(['b']);
  });

  it('ends if causes form a circle', () => {
    const events = [
      event({ id: 'a', causationId: 'b' }),
      event({ id: 'b', causationId: 'a' }),
      event({ id: 's', causationId: 's' }),
    ];
    expect(chainOf(events[0]!, events).map(({ event: { id } }) => id)).toEqual(['a']);
    expect(chainOf(events[2]!, events).map(({ event: { id } }) => id)).toEqual(['s']);
  });
});

describe('[J5] what changed between two times', () => {
  const at = (hour: number) => `2026-11-29T${String(hour).padStart(2, '0')}:00:00.000Z`;
  const events = [
    event({ id: '1', at: at(1), data: { memoryId: 'new', content: 'x', spaces: ['a', 'b'] } }),
    event({
      id: '2',
      at: at(2),
      type: 'MemoryUpdated',
      data: { memoryId: 'old', content: 'y' },
      actor: 'user:bob',
    }),
    event({ id: '3', at: at(3), type: 'MemoryUpdated', data: { memoryId: 'new', content: 'z' } }),
    event({ id: '4', at: at(4), type: 'MemoryDeleted', data: { memoryId: 'gone' } }),
    event({ id: '5', at: at(5), data: { memoryId: 'short' } }),
    event({ id: '6', at: at(6), type: 'MemoryErased', data: { memoryId: 'short' } }),
    event({ id: '7', at: at(7), type: 'MemoryDeleted', data: { memoryId: 'back' } }),
    event({ id: '8', at: at(8), type: 'MemoryRestored', data: { memoryId: 'back' } }),
  ];

  it('is told for each memory, the last change first', () => {
    expect(changesOf(events).map(({ id, kind, text }) => [id, kind, text])).toEqual([
      ['back', 'changed', undefined],
      ['short', 'brief', undefined],
      ['gone', 'removed', undefined],
      ['new', 'added', 'z'],
      ['old', 'changed', 'y'],
    ]);
    expect(countsOf(events)[0]).toEqual(['MemoryStored', 2]);
  });

  it('is grouped by space, in each of several', () => {
    const groups = grouped(changesOf(events), 'space');
    expect(groups.map(({ name, changes }) => [name, changes.length])).toEqual([
      ['no space', 4],
      ['a', 1],
      ['b', 1],
    ]);
  });

  it('is grouped by day', () => {
    const days = grouped(
      changesOf([...events, event({ id: '9', at: '2026-11-25T12:00:00.000Z', data: { memoryId: 'm' } })]),
      'day',
    );
    expect(days.length).toBeGreaterThanOrEqual(2);
    expect(days.flatMap(({ changes }) => changes)).toHaveLength(6);
  });
});
