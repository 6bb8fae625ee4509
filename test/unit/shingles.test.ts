import { describe, expect, it } from 'vitest';
import { jaccard, nearDuplicate, shingles, spelledShingles } from '../../src/domain/text/shingles.ts';

const near = (a: string, b: string) => nearDuplicate(shingles(a), shingles(b));
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`);

describe('nearDuplicate', () => {
  it('ignores case, punctuation and white space', () => {
    expect(near('We use PostgreSQL 18.', '  we use   POSTGRESQL 18')).toBe(true);
  });

  it('starts at a Jaccard similarity of 0.95', () => {
    // Each word removed at the end removes one of n − 2 shingles: 38 of 40 shared is exactly 0.95.
    const text = numbered(42);
    expect(jaccard(shingles(text.join(' ')), shingles(text.slice(2).join(' ')))).toBe(0.95);
    expect(near(text.join(' '), text.slice(2).join(' '))).toBe(true);
    expect(near(text.join(' '), text.slice(3).join(' '))).toBe(false);
  });

  it('tolerates one changed word in a long text but not in a short one', () => {
    const replaced = (count: number) =>
      numbered(count)
        .with(Math.floor(count / 2), 'other')
        .join(' ');
    expect(near(numbered(12).join(' '), replaced(12))).toBe(false);
    expect(near(numbered(200).join(' '), replaced(200))).toBe(true);
  });

  it('depends on the order of words', () => {
    expect(near('the dog bit the man', 'the man bit the dog')).toBe(false);
  });

  it('compares texts of one or two words as a whole', () => {
    expect(near('Hello world', 'hello, world!')).toBe(true);
    expect(near('hello world', 'hello')).toBe(false);
    expect(near('hello world', 'world hello')).toBe(false);
  });

  it('distinguishes texts without words', () => {
    expect(near('!!!', '???')).toBe(false);
    expect(near('!!!', ' !!! ')).toBe(true);
  });

  it('compares scripts without spaces by character', () => {
    const text = '今天下午三点在会议室开会讨论下个季度的产品计划和预算安排请大家提前准备好材料';
    expect(near(text, `${text}。`)).toBe(true);
    expect(near(text, text.replace('三', '四'))).toBe(false);
  });
});

describe('shingles', () => {
  it('can collide as hashes but not as strings', () => {
    // These two words have the same 32-bit FNV-1a hash.
    const [one, other] = ['liquid assets are sold', 'costarring assets are sold'];
    expect(near(one, other)).toBe(true);
    expect(nearDuplicate(spelledShingles(one), spelledShingles(other))).toBe(false);
    expect(nearDuplicate(spelledShingles(one), spelledShingles('Liquid assets are sold!'))).toBe(true);
  });
});
