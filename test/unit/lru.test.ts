import { describe, expect, it } from 'vitest';
import { LruCache } from '../../src/adapters/embedding/lru.ts';

describe('LruCache', () => {
  it('forgets what was unused for longest', () => {
    const cache = new LruCache<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
    expect(cache.size).toBe(2);
  });

  it('counts a value that is set again as used, and as one entry', () => {
    const cache = new LruCache<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('a', 10);
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([10, undefined, 3]);
  });

  it('keeps nothing with capacity 0, and nothing after clear', () => {
    const none = new LruCache<string, number>(0);
    none.set('a', 1);
    expect(none.get('a')).toBeUndefined();
    const cache = new LruCache<string, number>(1);
    cache.set('a', 1);
    cache.clear();
    expect(cache.size).toBe(0);
  });
});
