import { describe, expect, it } from 'vitest';
import { textMatcher } from '../../src/domain/text/same-text.ts';
import { termCounts } from '../../src/domain/text/tokens.ts';

const samenessOf = (text: string, other: string) => textMatcher(text)(other, termCounts(other).length);

describe('[A5] matching a text', () => {
  it.each([
    ['The', 'THE'],
    ['  a b\n', 'a b'],
    ['---', ' --- '],
  ])('is exact apart from case and surrounding white space: %j, %j', (text, other) => {
    expect(samenessOf(text, other)).toBe('exact');
  });

  it.each([
    ['The', 'The!'],
    ['a b', '(a)  b.'],
    ['🙂', '🙂!'],
    ['x'.repeat(500), `${'X'.repeat(500)}!`],
    ['Zoë', 'zoe'],
    ['登录接口', '登录接口。'],
    ['---', '- -'],
    ['!!! ??', '！？'],
  ])('is near for the same words, or the same characters without words: %j, %j', (text, other) => {
    expect(samenessOf(text, other)).toBe('near');
    expect(samenessOf(other, text)).toBe('near');
  });

  it.each([
    ['a b', 'b a'],
    ['a b', 'ab'],
    ['x x', 'x'],
    ['to be', 'to be or not to be'],
    // The same term but a different word.
    ['service', 'services'],
    [`${'x'.repeat(500)}`, 'x'.repeat(501)],
    ['---', '->'],
    ['!?', '?!'],
    ['---', '--- a'],
    ['', '!'],
  ])('fails for different texts: %j, %j', (text, other) => {
    expect(samenessOf(text, other)).toBeUndefined();
    expect(samenessOf(other, text)).toBeUndefined();
  });
});
