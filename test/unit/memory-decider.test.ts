import { describe, expect, it } from 'vitest';
import type { MemoryEvent } from '../../src/domain/memory/events.ts';
import {
  decide,
  evolve,
  initialState,
  type MemoryPatch,
  type MemoryReplacement,
  type MemoryValue,
} from '../../src/domain/memory/memory.ts';
import { foldMemory, isLive } from '../../src/domain/memory/snapshot.ts';
import { viewOf } from '../../src/domain/memory/view.ts';
import { specify } from '../support/decider-specification.ts';

const given = specify({ initialState, decide, evolve });

const value: MemoryValue = {
  id: 'm1',
  externalId: 'x1',
  content: 'tea at 80 degrees',
  layer: 'team',
  scope: { team: 'kitchen', user: 'alice' },
  spaces: ['recipes'],
  tags: ['tea', 'hot'],
  metadata: { source: { page: 3, draft: true }, rating: 5 },
  representations: { code: 'brew(80)' },
  createdBy: 'user:alice',
  claim: 'claim-acme.1',
};
const { id: _, ...rest } = value;
const stored: MemoryEvent = {
  type: 'MemoryStored',
  data: {
    memoryId: 'm1',
    contentLength: 17,
    contentBytes: 17,
    ...rest,
    spaces: ['recipes'],
    tags: ['tea', 'hot'],
  },
};
const retentionUntil = '2030-01-31T00:00:00.000Z';
const deleted: MemoryEvent = { type: 'MemoryDeleted', data: { memoryId: 'm1', retentionUntil } };
const restored: MemoryEvent = { type: 'MemoryRestored', data: { memoryId: 'm1' } };
const erased: MemoryEvent = {
  type: 'MemoryErased',
  data: { memoryId: 'm1', keyId: 'k1', claim: 'claim-acme.1' },
};
const updated = (
  changes: Omit<Extract<MemoryEvent, { type: 'MemoryUpdated' }>['data'], 'memoryId'>,
): MemoryEvent => ({
  type: 'MemoryUpdated',
  data: { memoryId: 'm1', ...changes },
});

const remove = { type: 'delete', retentionUntil: new Date(retentionUntil) } as const;
const restore = { type: 'restore', now: new Date('2030-01-01') } as const;
const erase = { type: 'erase', keyId: 'k1' } as const;
const update = (patch: MemoryPatch) => ({ type: 'update', patch }) as const;

describe('a memory', () => {
  it('is stored with the length of its content', () =>
    given().when({ type: 'store', value }).thenDecides(stored));
  it('has the value that was stored', () => given(stored).thenState({ status: 'active', value }));
  it('is not stored twice', () =>
    given(stored)
      .when({ type: 'store', value })
      .thenFails(/requires a new id/));
  it('is not stored again after its erasure', () =>
    given(stored, erased)
      .when({ type: 'store', value })
      .thenFails(/requires a new id/));

  it.each([update({ content: 'x' }), remove, restore, erase])(
    'that never was is unknown to $type',
    (command) => given().when(command).thenRefused('not-found'),
  );
});

describe('a replacement', () => {
  const replaced = (next: Partial<MemoryReplacement>) =>
    ({ type: 'replace', value: { ...value, ...next } }) as const;

  it('has an event with the fields that differ', () =>
    given(stored)
      .when(replaced({ content: 'tea at 75', metadata: {}, tags: ['tea', 'hot'] }))
      .thenDecides(updated({ content: 'tea at 75', contentLength: 9, contentBytes: 9, metadata: {} })));

  it('has no event if nothing differs, whatever the order of keys', () =>
    given(stored)
      .when(replaced({ metadata: { rating: 5, source: { draft: true, page: 3 } } }))
      .thenDecides());

  it('removes what it leaves empty', () =>
    given(stored)
      .when(replaced({ spaces: [], tags: [], metadata: {}, representations: {} }))
      .thenDecides(updated({ spaces: [], tags: [], metadata: {}, representations: {} })));

  it.each([
    ['layer', { layer: 'project' }],
    ['scope.team', { scope: { team: 'bar', user: 'alice' } }],
    ['scope.user', { scope: { team: 'kitchen' } }],
    ['scope.org', { scope: { ...value.scope, org: 'acme' } }],
    ['occurredAt', { occurredAt: '2030-01-01T00:00:00.000Z' }],
  ] as const)('cannot change %s', (_, next) =>
    given(stored).when(replaced(next)).thenRefused('validation-failed'),
  );

  it('keeps a time of occurrence that it leaves out', () => {
    const occurredAt = '2030-01-01T00:00:00.000Z';
    const dated: MemoryEvent = { ...stored, data: { ...stored.data, occurredAt } } as MemoryEvent;
    given(dated).when(replaced({})).thenDecides();
    given(dated).when(replaced({ occurredAt })).thenDecides();
  });

  it('of a deleted memory is refused, and of an erased or unknown one unknown', () => {
    given(stored, deleted).when(replaced({})).thenRefused('memory-deleted');
    given(stored, erased).when(replaced({})).thenRefused('not-found');
    given().when(replaced({})).thenRefused('not-found');
  });
});

describe('an update', () => {
  it('contains the complete new value of each changed field', () =>
    given(stored)
      .when(update({ content: 'tea at 75', tags: ['tea'], spaces: [] }))
      .thenDecides(
        updated({ content: 'tea at 75', contentLength: 9, contentBytes: 9, tags: ['tea'], spaces: [] }),
      ));

  it('counts UTF-16 units', () =>
    given(stored)
      .when(update({ content: '😀' }))
      .thenDecides(updated({ content: '😀', contentLength: 2, contentBytes: 4 })));

  it('merges metadata: null deletes, objects merge, arrays replace', () =>
    given(stored)
      .when(update({ metadata: { rating: null, source: { draft: null, by: ['x'] } } }))
      .thenDecides(updated({ metadata: { source: { page: 3, by: ['x'] } } })));

  it('removes all metadata and representations with null', () =>
    given(stored)
      .when(update({ metadata: null, representations: null }))
      .thenDecides(updated({ metadata: {}, representations: {} })));

  it('adds and removes representations by kind', () =>
    given(stored)
      .when(update({ representations: { code: null, graph: 'a -> b' } }))
      .thenDecides(updated({ representations: { graph: 'a -> b' } })));

  it.each([
    [{}],
    [{ content: value.content }],
    [{ tags: ['tea', 'hot'], spaces: ['recipes'] }],
    [{ metadata: {} }],
    [{ metadata: { missing: null, source: { page: 3 } } }],
    [{ metadata: { rating: 5, source: { draft: true } } }],
    [{ representations: { code: 'brew(80)', formal: null } }],
  ])('that changes nothing produces no event: %j', (patch) =>
    given(stored).when(update(patch)).thenNothing(),
  );

  it('that only reorders tags is a change', () =>
    given(stored)
      .when(update({ tags: ['hot', 'tea'] }))
      .thenDecides(updated({ tags: ['hot', 'tea'] })));

  it('contains only the fields that changed', () =>
    given(stored)
      .when(update({ content: value.content, tags: [] }))
      .thenDecides(updated({ tags: [] })));

  it('of a deleted memory is rejected', () =>
    given(stored, deleted)
      .when(update({ content: 'x' }))
      .thenRefused('memory-deleted'));
  it('of an erased memory is rejected as not found', () =>
    given(stored, erased)
      .when(update({ content: 'x' }))
      .thenRefused('not-found'));
});

describe('a deletion', () => {
  it('states until when it can be undone', () => given(stored).when(remove).thenDecides(deleted));
  it('keeps the value', () => given(stored, deleted).thenState({ status: 'deleted', value, retentionUntil }));
  it('of a deleted memory produces no event', () => given(stored, deleted).when(remove).thenNothing());
  it('of an erased memory is rejected as not found', () =>
    given(stored, erased).when(remove).thenRefused('not-found'));
});

describe('a restoration', () => {
  it('restores the value', () => {
    given(stored, deleted).when(restore).thenDecides(restored);
    given(stored, updated({ tags: [] }), deleted, restored).thenState({
      status: 'active',
      value: { ...value, tags: [] },
    });
  });
  it('of an active memory produces no event', () => given(stored).when(restore).thenNothing());
  it('is possible until the end of the retention period', () =>
    given(stored, deleted)
      .when({ type: 'restore', now: new Date(retentionUntil) })
      .thenDecides(restored));
  it('is rejected after the end of the retention period', () =>
    given(stored, deleted)
      .when({ type: 'restore', now: new Date('2030-01-31T00:00:00.001Z') })
      .thenRefused('retention-over'));
  it('of an erased memory is rejected as not found', () =>
    given(stored, erased).when(restore).thenRefused('not-found'));
});

describe('an erasure', () => {
  it('names the key to destroy and the claim to release', () =>
    given(stored).when(erase).thenDecides(erased));
  it('works without a claim', () => {
    const { claim: _, ...unclaimed } = value;
    const events = decide({ type: 'store', value: unclaimed }, initialState);
    given(...events)
      .when(erase)
      .thenDecides({ type: 'MemoryErased', data: { memoryId: 'm1', keyId: 'k1' } });
  });
  it('of a deleted memory is possible', () => given(stored, deleted).when(erase).thenDecides(erased));
  it('happens only once', () => given(stored, erased).when(erase).thenNothing());
  it('leaves no value', () => given(stored, updated({ tags: [] }), erased).thenState({ status: 'erased' }));
});

describe('a snapshot', () => {
  const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 0, minute));
  const facts = (...events: MemoryEvent[]) =>
    events.map((event, index) => ({
      event,
      revision: index,
      position: 10 * (index + 1),
      time: at(index),
      erased: false,
    }));

  it('adds revision, position and times from the log', () => {
    expect(foldMemory(facts(stored, updated({ tags: [] })))).toEqual({
      state: { status: 'active', value: { ...value, tags: [] } },
      revision: 1,
      position: 20,
      createdAt: at(0),
      updatedAt: at(1),
    });
    expect(foldMemory([])).toMatchObject({ state: { status: 'absent' }, revision: -1, position: 0 });
  });

  it('is erased if the key of any event was destroyed, whatever follows', () => {
    const [first, ...others] = facts(stored, updated({ tags: [] }));
    expect(foldMemory([{ ...first!, erased: true }, ...others]).state).toEqual({ status: 'erased' });
  });

  it('is returned without its claim and with the tenant as company', () => {
    const snapshot = foldMemory(facts(stored, deleted));
    if (!isLive(snapshot)) throw new Error('it is not live');
    const view = viewOf('acme', snapshot);
    expect(view).not.toHaveProperty('claim');
    expect(view).toMatchObject({
      id: 'm1',
      scope: { company: 'acme', team: 'kitchen', user: 'alice' },
      state: 'deleted',
      retentionUntil,
      revision: 1,
      accessCount: 0,
    });
  });
});
