import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryEvent } from '../../src/domain/memory/events.ts';
import { MemoryStored, MemoryUpdated } from '../../src/domain/memory/events.ts';
import { mergePatch, type JsonObject } from '../../src/domain/json.ts';
import {
  decide,
  evolve,
  initialState,
  type MemoryCommand,
  type MemoryPatch,
  type MemoryState,
  type MemoryValue,
} from '../../src/domain/memory/memory.ts';
import { Problem } from '../../src/domain/problems.ts';
import { json, patchOf } from '../support/json-values.ts';

const names = fc.uniqueArray(fc.constantFrom('tea', 'hot', 'ä', '😀', 'x y'));
const content = fc.constantFrom('tea', 'tea at 80 degrees', '😀', 'x'.repeat(50));
const kinds = fc.constantFrom('code', 'graph');

const value: fc.Arbitrary<MemoryValue> = fc.record({
  id: fc.constant('m1'),
  content,
  layer: fc.constant('user' as const),
  scope: fc.constant({ user: 'alice' }),
  spaces: names,
  tags: names,
  metadata: json,
  representations: fc.dictionary(kinds, content),
  createdBy: fc.constant('user:alice'),
});

const patch: fc.Arbitrary<MemoryPatch> = fc.record(
  {
    content,
    spaces: names,
    tags: names,
    metadata: fc.option(patchOf(json)),
    representations: fc.option(fc.dictionary(kinds, fc.option(content))),
  },
  { requiredKeys: [] },
);

const replacement = value.map(({ content, layer, scope, spaces, tags, metadata, representations }) => ({
  content,
  layer,
  scope,
  spaces,
  tags,
  metadata,
  representations,
}));

const day = fc.integer({ min: 0, max: 60 }).map((n) => new Date(Date.UTC(2030, 0, 1 + n)));
const change: fc.Arbitrary<MemoryCommand> = fc.oneof(
  { weight: 4, arbitrary: patch.map((p) => ({ type: 'update', patch: p }) as const) },
  { weight: 2, arbitrary: replacement.map((next) => ({ type: 'replace', value: next }) as const) },
  { weight: 2, arbitrary: day.map((retentionUntil) => ({ type: 'delete', retentionUntil }) as const) },
  { weight: 2, arbitrary: day.map((now) => ({ type: 'restore', now }) as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'erase', keyId: 'k1' } as const) },
);

/** Applies the commands that are not rejected; a rejection must be a problem. */
function run(
  state: MemoryState,
  commands: readonly MemoryCommand[],
): { state: MemoryState; events: MemoryEvent[] } {
  const events: MemoryEvent[] = [];
  let now = state;
  for (const command of commands) {
    let decided: MemoryEvent[];
    try {
      decided = decide(command, now);
    } catch (error) {
      expect(error).toBeInstanceOf(Problem);
      continue;
    }
    events.push(...decided);
    now = decided.reduce(evolve, now);
  }
  return { state: now, events };
}

const stored = (of: MemoryValue): MemoryState => run(initialState, [{ type: 'store', value: of }]).state;

describe('a memory after any sequence of commands', () => {
  it('has the same state folded at once as step by step', () => {
    fc.assert(
      fc.property(value, fc.array(change), (first, changes) => {
        const { state, events } = run(initialState, [{ type: 'store', value: first }, ...changes]);
        expect(events.reduce(evolve, initialState)).toEqual(state);
      }),
    );
  });

  it('consists of events that match their schemas and survive JSON', () => {
    fc.assert(
      fc.property(value, fc.array(change), (first, changes) => {
        for (const event of run(initialState, [{ type: 'store', value: first }, ...changes]).events) {
          expect(JSON.parse(JSON.stringify(event))).toEqual(event);
          const definition = { MemoryStored, MemoryUpdated }[event.type as 'MemoryStored'];
          if (!definition) continue;
          expect({ ...definition.routing.parse(event.data), ...definition.sealed.parse(event.data) }).toEqual(
            event.data,
          );
        }
      }),
    );
  });

  it('changes with every event, and a command that changes nothing produces none', () => {
    fc.assert(
      fc.property(value, fc.array(change), (first, changes) => {
        let state = stored(first);
        for (const command of changes) {
          const { events, state: next } = run(state, [command]);
          expect(events.length).toBeLessThanOrEqual(1);
          if (events.length === 1) expect(next).not.toEqual(state);
          if (command.type === 'update' || command.type === 'replace')
            expect(run(next, [command]).events).toEqual([]);
          state = next;
        }
      }),
    );
  });

  it('has the result of merging both patches after two updates', () => {
    fc.assert(
      fc.property(value, patch, patch, (first, one, two) => {
        const { state } = run(stored(first), [
          { type: 'update', patch: one },
          { type: 'update', patch: two },
        ]);
        const merged = (field: 'metadata' | 'representations') =>
          [one, two].reduce<JsonObject>((target, { [field]: by }) => {
            if (by === undefined) return target;
            return by === null ? {} : mergePatch(target, by);
          }, first[field]);
        const { metadata: _, representations: __, ...plain } = { ...one, ...two };
        expect(state).toEqual({
          status: 'active',
          value: {
            ...first,
            ...plain,
            metadata: merged('metadata'),
            representations: merged('representations'),
          },
        });
      }),
    );
  });

  it('has all mutable fields of its last replacement', () => {
    fc.assert(
      fc.property(value, fc.array(patch), replacement, (first, patches, last) => {
        const { state } = run(stored(first), [
          ...patches.map((p) => ({ type: 'update', patch: p }) as const),
          { type: 'replace', value: last },
        ]);
        expect(state).toEqual({ status: 'active', value: { ...first, ...last } });
      }),
    );
  });

  it('is unchanged after deletion and restoration', () => {
    fc.assert(
      fc.property(value, fc.array(patch), day, (first, patches, retentionUntil) => {
        const before = run(
          stored(first),
          patches.map((p) => ({ type: 'update', patch: p })),
        ).state;
        const after = run(before, [
          { type: 'delete', retentionUntil },
          ...patches.map((p) => ({ type: 'update', patch: p }) as const),
          { type: 'restore', now: retentionUntil },
        ]);
        expect(after.state).toEqual(before);
        expect(after.events.map(({ type }) => type)).toEqual(['MemoryDeleted', 'MemoryRestored']);
      }),
    );
  });

  it('stays erased', () => {
    fc.assert(
      fc.property(value, fc.array(change), fc.array(change), (first, before, after) => {
        const { state } = run(stored(first), [...before, { type: 'erase', keyId: 'k1' }]);
        expect(state).toEqual({ status: 'erased' });
        expect(run(state, after)).toEqual({ state: { status: 'erased' }, events: [] });
      }),
    );
  });
});
