import { describe, expect, it } from 'vitest';
import { decide, evolve, initialState, type MemoryState } from '../../src/domain/memory/memory.ts';
import type { MemoryEvent } from '../../src/domain/memory/events.ts';
import { bytesBySpace, overBecause } from '../../src/domain/memory/lifetime.ts';
import { spaceConfigSchema } from '../../src/domain/spaces/space-config.ts';
import { foldSpaces, noSpaces, type Spaces } from '../../src/domain/spaces/spaces.ts';
import { specify } from '../support/decider-specification.ts';
import { memoryValue } from '../support/event-store.ts';

const spaces = spacesWith({ month: 30, year: 365, open: undefined });

function spacesWith(retention: Readonly<Record<string, number | undefined>>): Spaces {
  const events = Object.entries(retention).map(([spaceId, retentionDays], revision) => {
    const { sources, ...settings } = spaceConfigSchema.parse({ ...(retentionDays && { retentionDays }) });
    return {
      event: { type: 'SpaceConfigured' as const, data: { spaceId, settings, sources } },
      revision,
      time: new Date(0),
    };
  });
  return foldSpaces(noSpaces, events);
}

describe('[A19] the time of a memory', () => {
  const createdAt = new Date('2030-01-01T00:00:00Z');
  const after = (days: number) => new Date(createdAt.getTime() + days * 86_400_000);
  const over = (memory: object, days: number) =>
    overBecause({ spaces: [], ...memory }, { createdAt, now: after(days), spaces });

  it.each([
    ['in no space', {}, 10_000, undefined],
    ['in a space with a retention', { spaces: ['month'] }, 31, 'retention'],
    ['in such a space, in time', { spaces: ['month'] }, 30, undefined],
    ['in two spaces: the longest counts', { spaces: ['month', 'year'] }, 31, undefined],
    ['in two spaces, after both', { spaces: ['month', 'year'] }, 366, 'retention'],
    ['in a space without a retention too', { spaces: ['month', 'open'] }, 10_000, undefined],
    ['in a space that nobody configured too', { spaces: ['month', 'free'] }, 10_000, undefined],
    ['that is kept', { spaces: ['month'], retention: 'keep' }, 10_000, undefined],
    ['that expires', { expiresAt: after(2).toISOString() }, 2, 'expired'],
    ['that expires later', { expiresAt: after(2).toISOString() }, 1, undefined],
    ['that expires and is kept', { expiresAt: after(2).toISOString(), retention: 'keep' }, 9, undefined],
  ] as const)('%s', (_, memory, days, because) => {
    expect(over(memory, days)).toBe(because);
  });
});

describe('[A19] a memory', () => {
  const given = specify({ initialState, decide, evolve });
  const now = new Date('2030-06-01T00:00:00Z');
  const value = memoryValue({ spaces: ['a', 'b'] });
  const of = (more: object): MemoryEvent[] =>
    decide({ type: 'store', value: { ...value, ...more } }, initialState);
  const memoryId = value.id;
  const deleted = (because?: 'expired' | 'retention'): MemoryEvent => ({
    type: 'MemoryDeleted',
    data: { memoryId, retentionUntil: '2030-06-30T00:00:00.000Z', ...(because && { because }) },
  });
  const archived: MemoryEvent = { type: 'MemoryArchived', data: { memoryId } };

  it('that is archived can be unarchived and deleted, but not changed', () => {
    given(...of({}), archived)
      .when({ type: 'archive' })
      .thenNothing();
    given(...of({}), archived)
      .when({ type: 'unarchive' })
      .thenDecides({ type: 'MemoryUnarchived', data: { memoryId } });
    given(...of({}))
      .when({ type: 'unarchive' })
      .thenNothing();
    expect(() => decide({ type: 'update', patch: { tags: ['x'] } }, fold([...of({}), archived]))).toThrow(
      'unarchive it first',
    );
    expect(decide({ type: 'delete', retentionUntil: now }, fold([...of({}), archived]))).toHaveLength(1);
  });

  it('is not deleted again at once by what deleted it, when it is restored', () => {
    const expiresAt = '2030-05-31T00:00:00.000Z';
    const restored: MemoryEvent = { type: 'MemoryRestored', data: { memoryId } };
    given(...of({ expiresAt }), deleted('expired'))
      .when({ type: 'restore', now })
      .thenDecides(restored, { type: 'MemoryUpdated', data: { memoryId, expiresAt: null } });
    given(...of({}), deleted('retention'))
      .when({ type: 'restore', now })
      .thenDecides(restored, { type: 'MemoryUpdated', data: { memoryId, retention: 'keep' } });
    given(...of({}), deleted())
      .when({ type: 'restore', now })
      .thenDecides(restored);
  });

  it('loses the label of a removed space unless it is deleted', () => {
    given(...of({}))
      .when({ type: 'detach', space: 'a' })
      .thenDecides({ type: 'MemoryUpdated', data: { memoryId, spaces: ['b'] } });
    given(...of({}), archived)
      .when({ type: 'detach', space: 'a' })
      .thenDecides({ type: 'MemoryUpdated', data: { memoryId, spaces: ['b'] } });
    given(...of({}), deleted())
      .when({ type: 'detach', space: 'a' })
      .thenNothing();
  });

  it('counts towards the quotas of its spaces while it is active', () => {
    expect(bytesBySpace(fold(of({ content: 'é' })))).toEqual(
      new Map([
        ['a', 2],
        ['b', 2],
      ]),
    );
    expect(bytesBySpace(fold([...of({}), archived]))).toEqual(new Map());
  });
});

function fold(events: readonly MemoryEvent[]): MemoryState {
  return events.reduce(evolve, initialState);
}
