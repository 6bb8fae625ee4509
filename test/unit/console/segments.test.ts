import { describe, expect, it } from 'vitest';
import { beginningOf, sideOf, type Segment } from '../../../console/src/screens/review/segments.ts';
import { diffWords } from '../../../console/src/ui/word-diff.ts';

const marked = (segments: readonly Segment[]): string =>
  segments.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('');
const sidesOf = (before: string, after: string): readonly string[] => {
  const parts = diffWords(before, after);
  return [marked(sideOf(parts, 'before')), marked(sideOf(parts, 'after'))];
};

describe('the sides of a comparison', () => {
  it('mark the words that differ', () => {
    expect(sidesOf('The port is 8080 now.', 'The port is 9090 now.')).toEqual([
      'The port is [8080] now.',
      'The port is [9090] now.',
    ]);
  });

  it('mark words that one text has alone, with the spaces between them', () => {
    const [before, after] = sidesOf('We deploy on Fridays', 'We never ever deploy on Fridays');
    expect(before).toBe('We deploy on Fridays');
    expect(after).toMatch(/^We( \[never ever\] |\[ never ever\] | \[never ever \])deploy on Fridays$/);
  });

  it('mark what stands between two differing words', () => {
    expect(sidesOf('ask Ann Lee now', 'ask Bob Kim now')).toEqual(['ask [Ann Lee] now', 'ask [Bob Kim] now']);
  });

  it('mark nothing in equal texts, and everything against an empty one', () => {
    expect(sidesOf('same text', 'same text')).toEqual(['same text', 'same text']);
    expect(sidesOf('', 'two words')).toEqual(['', '[two words]']);
  });
});

describe('beginningOf', () => {
  it('cuts within a segment', () => {
    const segments = [
      { text: 'abc', differs: false },
      { text: 'def', differs: true },
    ];
    expect(beginningOf(segments, 4)).toEqual([
      { text: 'abc', differs: false },
      { text: 'd', differs: true },
    ]);
    expect(beginningOf(segments, 10)).toEqual(segments);
  });
});
