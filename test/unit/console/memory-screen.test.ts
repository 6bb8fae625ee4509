import { describe, expect, it } from 'vitest';
import type { AuditEvent, StoredMemory } from '@stratalog/client';
import { draftOf, patchOf } from '../../../console/src/screens/memory/edited.ts';
import { groupReads } from '../../../console/src/screens/memory/group-reads.ts';
import { listFilter, listValues } from '../../../console/src/screens/memory/list-filter.ts';
import { mergePatch } from '../../../console/src/screens/memory/merge-patch.ts';
import { maxNodes, radial } from '../../../console/src/screens/memory/radial.ts';

describe('[J5] the edits of a memory', () => {
  const memory = {
    content: 'a',
    tags: ['x', 'y'],
    metadata: { source: 'web', deep: { a: 1, b: 2 } },
  } as unknown as StoredMemory;
  const draft = draftOf(memory);

  it('are a patch of what differs', () => {
    expect(patchOf(memory, draft)).toBeUndefined();
    expect(patchOf(memory, { ...draft, content: 'b' })).toEqual({ content: 'b' });
    expect(patchOf(memory, { ...draft, tags: ' y,, z , y' })).toEqual({ tags: ['y', 'z'] });
    expect(patchOf(memory, { ...draft, metadata: '' })).toEqual({ metadata: { source: null, deep: null } });
    expect(patchOf(memory, { ...draft, metadata: '{"source":"web","deep":{"a":1,"c":3}}' })).toEqual({
      metadata: { deep: { b: null, c: 3 } },
    });
  });

  it('say what is wrong with them', () => {
    expect(patchOf(memory, { ...draft, metadata: '{' })).toContain('not JSON');
    expect(patchOf(memory, { ...draft, metadata: '[]' })).toContain('JSON object');
    expect(patchOf(memory, { ...draft, content: '  ' })).toContain('empty');
  });

  it('merge into the new value (RFC 7396)', () => {
    const values = [{}, { a: 1 }, { a: { b: 1 } }, { a: { b: 2, c: [1] } }, { a: [1, 2] }, { b: 'x' }];
    const apply = (target: unknown, patch: object): object => {
      const result: Record<string, unknown> =
        typeof target === 'object' && target && !Array.isArray(target) ? { ...target } : {};
      for (const [name, value] of Object.entries(patch))
        if (value === null) delete result[name];
        else
          result[name] =
            typeof value === 'object' && !Array.isArray(value) ? apply(result[name], value as object) : value;
      return result;
    };
    for (const before of values)
      for (const after of values) expect(apply(before, mergePatch(before, after) ?? {})).toEqual(after);
  });
});

describe('[J5] the neighbourhood of a memory', () => {
  it('has each memory once, at most fifty, on a circle for each step', () => {
    const items = Array.from({ length: 200 }, (_, n) => ({
      id: `m${n % 150}`,
      depth: n < 20 ? 1 : 2,
      via: n < 20 ? 'me' : `m${n % 20}`,
    }));
    const nodes = radial('me', items);
    expect(nodes).toHaveLength(maxNodes);
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(maxNodes);
    expect(nodes.filter(({ depth }) => depth === 1)).toHaveLength(20);
    for (const { x, y, depth } of nodes) expect(Math.hypot(x, y)).toBeCloseTo(depth / 2);
    expect(radial('me', [])).toEqual([{ id: 'me', depth: 0, via: 'me', x: 0, y: 0 }]);
  });
});

describe('the filters of the list in an address', () => {
  it('are kept, and nothing else', () => {
    expect(
      listFilter({ layer: 'team', space: '', tag: 'x', state: 'deleted', order: 'sideways', at: '2026' }),
    ).toEqual({
      layer: ['team'],
      tag: ['x'],
      state: 'deleted',
    });
    expect(listValues({ layer: 'team', at: '2026', event: 'x' })).toEqual({ layer: 'team' });
  });
});

describe('the readers of a memory', () => {
  it('are grouped by who and what, the last ones first', () => {
    const read = (actor: string, what: string, at: string) =>
      ({ actor, at, data: { what } }) as unknown as AuditEvent;
    expect(
      groupReads([
        read('a', 'memory', '3'),
        read('b', 'memory', '2'),
        read('a', 'memory', '1'),
        read('a', 'history', '0'),
      ]),
    ).toEqual([
      { who: 'a', what: 'memory', count: 2, last: '3' },
      { who: 'b', what: 'memory', count: 1, last: '2' },
      { who: 'a', what: 'history', count: 1, last: '0' },
    ]);
  });
});
