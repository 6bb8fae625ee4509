import type { Review } from '@stratalog/client';
import { describe, expect, it } from 'vitest';
import {
  candidatesOf,
  choicesOf,
  commonChoices,
  kinds,
  otherOf,
} from '../../../console/src/screens/review/decisions.ts';

const review = (kind: Review['kind'], others: string[] = [], alike: string[] = []): Review => {
  const memory = (id: string) => ({ id }) as Review['memory'];
  return { id: `${kind}.m`, kind, memory: memory('m'), others: others.map(memory), alike: alike.map(memory) };
};
const decisionsOf = (choices: readonly { readonly decision: string }[]) =>
  choices.map(({ decision }) => decision);

describe('choicesOf', () => {
  it('offers nothing about another memory where there is none', () => {
    expect(decisionsOf(choicesOf(review('quarantine')))).toEqual(['approve', 'reject']);
    expect(decisionsOf(choicesOf(review('quarantine', [], ['a'])))).toContain('supersede');
  });

  it('gives every decision of a review a key of its own', () => {
    for (const [kind] of kinds) {
      const letters = choicesOf(review(kind, ['o'], ['a'])).map(({ letter }) => letter);
      expect(new Set(letters).size).toBe(letters.length);
      for (const taken of ['j', 'k', 'x', 'u', 'g', '/', '?']) expect(letters).not.toContain(taken);
    }
  });
});

describe('commonChoices', () => {
  it('has what all kinds share, without decisions that need another memory for each', () => {
    expect(decisionsOf(commonChoices([review('quarantine', [], ['a'])]))).toEqual(['approve', 'reject']);
    expect(decisionsOf(commonChoices([review('conflict'), review('stale')]))).toEqual(['keep', 'reject']);
    expect(commonChoices([review('quarantine'), review('duplicate')])).toEqual([]);
    expect(commonChoices([])).toEqual([]);
  });
});

describe('otherOf', () => {
  it('is the chosen memory, else the first beside it', () => {
    expect(otherOf(review('quarantine', [], ['a', 'b']), 'merge', 'b')).toBe('b');
    expect(otherOf(review('conflict', ['o'], ['a']), 'supersede', undefined)).toBe('o');
  });

  it('of duplicates is the memory that stays: the reviewed one unless another is chosen', () => {
    expect(otherOf(review('duplicate', ['o']), 'merge', undefined)).toBe('m');
    expect(candidatesOf(review('duplicate', ['o'], ['a'])).map(({ memory }) => memory.id)).toEqual(['o']);
  });

  it('is nothing for decisions about one memory', () => {
    expect(otherOf(review('quarantine', [], ['a']), 'approve', 'a')).toBeUndefined();
  });
});
