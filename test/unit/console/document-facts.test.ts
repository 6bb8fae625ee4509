import { describe, expect, it } from 'vitest';
import { openable, prefixOf, sourceIdOf } from '../../../console/src/screens/documents/document-facts.ts';

describe('sourceIdOf', () => {
  it('finds the source in the externalId of its documents', () => {
    expect(sourceIdOf('source:wiki/guides/a.md')).toBe('wiki');
    expect(sourceIdOf('source:feed')).toBe('feed');
    expect(sourceIdOf('handbook.md')).toBeUndefined();
    expect(sourceIdOf(undefined)).toBeUndefined();
  });

  it('agrees with the prefix by which the documents of a source are listed', () => {
    expect(sourceIdOf(prefixOf({ id: 'wiki', type: 'directory' }))).toBe('wiki');
    expect(sourceIdOf(prefixOf({ id: 'feed', type: 'rss' }))).toBe('feed');
  });
});

describe('openable', () => {
  it('takes addresses of the web alone', () => {
    expect(openable('https://example.com/a?b=1')).toBe('https://example.com/a?b=1');
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      ' javascript:alert(1)',
      'file:///etc',
      'https://',
      undefined,
    ])
      expect(openable(url)).toBeUndefined();
  });
});
