import { describe, expect, it } from 'vitest';
import { identitiesOf, referencesIn } from '../../src/domain/links/references.ts';

describe('[H1] the references in a text', () => {
  it.each([
    ['as shown in https://example.org/Paper?x=1#top.', ['url:example.org/Paper?x=1']],
    ['(see http://www.Example.org/a_(b)/)', ['url:example.org/a_(b)']],
    ['Attention (arXiv:1706.03762v5) and https://arxiv.org/pdf/1706.03762.pdf', ['arxiv:1706.03762']],
    ['hep-th papers such as arXiv: hep-th/9901001', ['arxiv:hep-th/9901001']],
    [
      'doi:10.1145/3366423.3380130, https://doi.org/10.1145/ABC.',
      ['doi:10.1145/abc', 'doi:10.1145/3366423.3380130'],
    ],
    ['It replaces KB-0042 and DOC_17a.', ['id:KB-0042', 'id:DOC_17a']],
    ['In 2026 we had 3.5 % of 12 teams', []],
    ['Nothing to see here', []],
  ])('%j', (text, expected) => {
    expect([...referencesIn(text)].sort()).toEqual([...expected].sort());
  });

  it('are at most 200, and each counts once', () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `KB-${n}`);
    expect(referencesIn([...ids, ...ids].join(' '))).toHaveLength(200);
  });

  it('are found in linear time in hostile texts', () => {
    for (const text of [
      'http://'.repeat(30_000),
      'a1'.repeat(100_000),
      '10.1234/'.repeat(25_000),
      '('.repeat(200_000),
    ])
      expect(referencesIn(text).length).toBeLessThanOrEqual(200);
  });
});

describe('[H1] what others may call a memory', () => {
  it.each([
    [{ externalId: 'KB-0042', metadata: {} }, ['id:KB-0042']],
    [{ externalId: 'https://doi.org/10.1/X', metadata: {} }, ['id:https://doi.org/10.1/X']],
    [{ metadata: { doi: '10.1145/3366423' } }, ['doi:10.1145/3366423']],
    [{ metadata: { doi: 'https://doi.org/10.1145/ABC' } }, ['doi:10.1145/abc']],
    [{ metadata: { arxiv_id: '1706.03762v2' } }, ['arxiv:1706.03762']],
    [{ metadata: { source_url: 'https://arxiv.org/abs/1706.03762' } }, ['arxiv:1706.03762']],
    [{ metadata: { url: 'https://example.org/page/', doi: 7, uri: 'file:///x' } }, ['url:example.org/page']],
  ])('%j', (memory, expected) => {
    expect(identitiesOf(memory)).toEqual(expect.arrayContaining(expected));
  });
});
