import { describe, expect, it } from 'vitest';
import { beginningOf, wordDiff, type Segment } from '../../../console/src/screens/review/word-diff.ts';

const marked = (segments: readonly Segment[]): string =>
  segments.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('');

describe('wordDiff', () => {
  it('marks the words that differ on both sides', () => {
    const { left, right } = wordDiff('The port is 8080 now.', 'The port is 9090 now.');
    expect(marked(left)).toBe('The port is [8080] now.');
    expect(marked(right)).toBe('The port is [9090] now.');
  });

  it('marks words that one side has alone, with the spaces between them', () => {
    const { left, right } = wordDiff('We deploy on Fridays', 'We never ever deploy on Fridays');
    expect(marked(left)).toBe('We deploy on Fridays');
    expect(marked(right)).toMatch(
      /^We( \[never ever\] |\[ never ever\] | \[never ever \])deploy on Fridays$/,
    );
  });

  it('takes times, numbers and contractions as one word', () => {
    expect(
      marked(wordDiff("It doesn't open at 07:00, for 1.50", "It doesn't open at 06:00, for 1.75").left),
    ).toBe("It doesn't open at [07:00], for [1.50]");
  });

  it('marks nothing in equal texts, and everything against an empty one', () => {
    expect(wordDiff('same text', 'same text')).toEqual({
      left: [{ text: 'same text', differs: false }],
      right: [{ text: 'same text', differs: false }],
    });
    expect(wordDiff('', 'two words')).toEqual({ left: [], right: [{ text: 'two words', differs: true }] });
  });

  it('keeps every character of texts too long to be aligned', () => {
    const left = Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ');
    const right = `${left.replace('w2500', 'changed')} end`;
    const diff = wordDiff(left, right);
    expect(diff.left.map(({ text }) => text).join('')).toBe(left);
    expect(diff.right.map(({ text }) => text).join('')).toBe(right);
    expect(diff.left.filter(({ differs }) => differs).map(({ text }) => text)).toContain('w2500');
  });

  it('separates words in a language without spaces', () => {
    expect(wordDiff('我喜欢咖啡', '我喜欢茶').left.at(-1)).toEqual({ text: '咖啡', differs: true });
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
