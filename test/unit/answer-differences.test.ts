import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { causeOf, differencesOf, type RankedMemory } from '../../src/domain/retrieval/answer-differences.ts';

const answer = (ids: string, more: Record<string, Partial<RankedMemory>> = {}): RankedMemory[] =>
  [...ids].map((memoryId) => ({ memoryId, relevance: 0.5, ...more[memoryId] }));

describe('the differences of two answers', () => {
  it('[F3] name what is missing, added, moved and scored differently', () => {
    expect(differencesOf(answer('abcd'), answer('abcd'))).toEqual([]);
    expect(differencesOf(answer('abcd'), answer('bcde'))).toEqual([
      { id: 'a', kind: 'missing' },
      { id: 'e', kind: 'added' },
    ]);
    expect(differencesOf(answer('abcd'), answer('dabc'))).toEqual([{ id: 'd', kind: 'moved' }]);
    expect(differencesOf(answer('abcd'), answer('abcd', { b: { relevance: 0.51 } }))).toEqual([
      { id: 'b', kind: 'score' },
    ]);
    expect(differencesOf(answer('a'), answer('a', { a: { relevance: 0.5001 } }))).toEqual([]);
  });

  it('[F3] without them the answers have the same memories in the same order', () => {
    const ids = fc.shuffledSubarray([...'abcdefghij']).map((some) => some.join(''));
    fc.assert(
      fc.property(ids, ids, (then, now) => {
        const changed = new Set(differencesOf(answer(then), answer(now)).map(({ id }) => id));
        const kept = (all: string) => [...all].filter((id) => !changed.has(id)).join('');
        expect(kept(then)).toBe(kept(now));
        expect(changed.size === 0).toBe(then === now);
      }),
    );
  });
});

describe('the cause of a difference', () => {
  const missing = { id: 'b', kind: 'missing' } as const;
  const equal = {
    before: answer('abc'),
    after: answer('ac'),
    isErased: () => false,
    isLater: () => false,
    hasOtherModel: false,
    hasOtherRoute: false,
    isPresumed: false,
  };

  it('[F3] is first what is true of the memory or of the whole answer', () => {
    const other = { hasOtherModel: true, hasOtherRoute: true, isPresumed: true };
    expect(causeOf(missing, { ...equal, ...other, isErased: (id) => id === 'b' })).toBe('erased');
    expect(causeOf(missing, { ...equal, ...other, isLater: (id) => id === 'b' })).toBe('changed');
    expect(causeOf(missing, { ...equal, ...other })).toBe('model');
    expect(causeOf(missing, { ...equal, ...other, hasOtherModel: false })).toBe('weights');
    expect(causeOf(missing, { ...equal, before: answer('abc', { b: { value: 0.3 } }) })).toBe('feedback');
    expect(
      causeOf({ id: 'a', kind: 'moved' }, { ...equal, before: answer('abc', { a: { feedback: 0.3 } }) }),
    ).toBe('feedback');
  });

  it('[F3] is otherwise what is true of another memory of the answer', () => {
    expect(causeOf(missing, { ...equal, isErased: (id) => id === 'a' })).toBe('erased');
    expect(causeOf(missing, { ...equal, before: answer('abc', { c: { value: 0.3 } }) })).toBe('feedback');
    expect(causeOf(missing, { ...equal, isPresumed: true })).toBe('scope');
    expect(causeOf(missing, equal)).toBe('changed');
  });
});
