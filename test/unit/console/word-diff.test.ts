import { describe, expect, it } from 'vitest';
import { diffWords, type DiffPart } from '../../../console/src/ui/word-diff.ts';

const oldOf = (parts: readonly DiffPart[]) =>
  parts.map(({ kind, text }) => (kind === 'added' ? '' : text)).join('');
const youngOf = (parts: readonly DiffPart[]) =>
  parts.map(({ kind, text }) => (kind === 'removed' ? '' : text)).join('');
const changed = (parts: readonly DiffPart[]) =>
  parts
    .filter(({ kind }) => kind !== 'same')
    .map(({ kind, text }) => `${kind === 'added' ? '+' : '-'}${text}`);

describe('[J5] a diff of words', () => {
  it('names the words that were added and removed, and no others', () => {
    expect(changed(diffWords('Releases are cut on Tuesday.', 'Releases are cut on Wednesday.'))).toEqual([
      '-Tuesday',
      '+Wednesday',
    ]);
    expect(changed(diffWords('one two', 'one and two'))).toEqual(['+and ']);
    expect(changed(diffWords('a b c d', 'a c d'))).toEqual(['-b ']);
    expect(changed(diffWords('a b c', 'x b y'))).toEqual(['-a', '+x', '-c', '+y']);
    expect(diffWords('same', 'same')).toEqual([{ kind: 'same', text: 'same' }]);
    expect(diffWords('', 'new')).toEqual([{ kind: 'added', text: 'new' }]);
    expect(diffWords('old', '')).toEqual([{ kind: 'removed', text: 'old' }]);
    expect(diffWords('', '')).toEqual([]);
  });

  it('takes times, numbers and contractions as one word', () => {
    expect(
      changed(diffWords("It doesn't open at 07:00, for 1.50", "It won't open at 06:00, for 1.75")),
    ).toEqual(["-doesn't", "+won't", '-07:00', '+06:00', '-1.50', '+1.75']);
  });

  it('separates words in a language without spaces', () => {
    expect(changed(diffWords('我喜欢咖啡', '我喜欢茶'))).toEqual(['-咖啡', '+茶']);
  });

  it('finds a few changes in a long text', () => {
    const before = Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ');
    const after = `${before.replace('w2500', 'changed')} end`;
    expect(changed(diffWords(before, after))).toEqual(['-w2500', '+changed', '+ end']);
  });

  it('always leads from one text to the other, with the fewest differences', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 300; round++) {
      const words = () => Array.from({ length: random(12) }, () => 'abc'[random(3)]!);
      const [before, after] = [words(), words()];
      const parts = diffWords(before.join(' '), after.join(' '));
      expect(oldOf(parts)).toBe(before.join(' '));
      expect(youngOf(parts)).toBe(after.join(' '));
      const same = parts
        .filter(({ kind }) => kind === 'same')
        .map(({ text }) => text)
        .join('');
      const tokens = (all: readonly string[]) => all.flatMap((word, n) => (n === 0 ? [word] : [' ', word]));
      expect(same.length).toBe(longestCommon(tokens(before), tokens(after)));
    }
  });

  it('shows very different long texts as replaced, without taking long', () => {
    const text = (word: string) => Array.from({ length: 20_000 }, (_, n) => `${word}${n}`).join(' ');
    const [before, after] = [text('a'), text('b')];
    const parts = diffWords(before, after);
    expect(oldOf(parts)).toBe(before);
    expect(youngOf(parts)).toBe(after);
  });
});

/** Length of the longest common subsequence, by the textbook's table. */
function longestCommon(one: readonly string[], other: readonly string[]): number {
  const table = [...one, ''].map(() => [...other, ''].map(() => 0));
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      table[i]![j] =
        one[i] === other[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  return table[0]![0]!;
}
