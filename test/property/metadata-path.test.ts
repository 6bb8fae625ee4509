import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textError } from '../../src/domain/json.ts';
import { metadataField, metadataPath, otherPaths } from '../../src/domain/metadata-path.ts';

const key = fc
  .oneof(
    fc.string({ unit: fc.constantFrom('a', 'b', '.', '[', ']', '"', "'", '\\', '/', ' ', '\n') }),
    fc.string(),
  )
  .filter((text) => textError(text) === undefined);
const keys = fc.array(key, { minLength: 1, maxLength: 5 });

describe('the name of a metadata field', () => {
  it('[A5] means the keys that it was built from', () => {
    fc.assert(
      fc.property(keys, (path) => {
        expect(metadataPath(metadataField(path))?.keys).toEqual(path);
      }),
    );
  });

  it.each([
    ['metadata.a', ['a'], false],
    ['metadata.a.b', ['a', 'b'], false],
    ['metadata.a[0]', ['a[0]'], false],
    ['metadata["a.b"]', ['a.b'], true],
    ["metadata['a.b']", ['a.b'], true],
    ['metadata.a["b.c"].d', ['a', 'b.c', 'd'], true],
    ['metadata.a[0]["b"]', ['a[0]', 'b'], true],
    ['metadata[""]', [''], true],
    [String.raw`metadata["a\"b\\c"]`, [String.raw`a"b\c`], true],
  ])('[A5] %s means %j', (name, path, isExact) => {
    expect(metadataPath(name)).toEqual({ keys: path, isExact });
  });

  it.each([
    'metadata',
    'metadata.',
    'metadata..a',
    'metadata.a.',
    'metadata["a"',
    'metadata["a"]b',
    'other.a',
  ])('[A5] is not %s', (name) => {
    expect(metadataPath(name)).toBeUndefined();
  });
});

describe('other meanings of a dotted name', () => {
  it('[A5] join each run of adjacent parts, short runs first', () => {
    expect(otherPaths(['a'])).toEqual([]);
    expect(otherPaths(['a', 'b'])).toEqual([['a.b']]);
    expect(otherPaths(['a', 'b', 'c'])).toEqual([['a.b', 'c'], ['a', 'b.c'], ['a.b.c']]);
  });

  it('[A5] are limited, however long the path is', () => {
    fc.assert(
      fc.property(fc.array(key, { minLength: 2, maxLength: 200 }), (path) => {
        const others = otherPaths(path);
        expect(others.length).toBeLessThanOrEqual(28);
        expect(others.at(-1)).toEqual([path.join('.')]);
        for (const other of others) expect(other.join('.')).toBe(path.join('.'));
      }),
    );
  });
});
