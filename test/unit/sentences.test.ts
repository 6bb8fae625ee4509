import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sentencesOf } from '../../src/domain/text/sentences.ts';

const whole = new Intl.Segmenter('und', { granularity: 'sentence' });

/** Without abbreviations, the sentences are the segments of the whole text. */
function segments(text: string): string[] {
  return [...whole.segment(text)].map(({ segment }) => segment.trim()).filter((segment) => segment !== '');
}

const parts = [
  'It waits. ',
  'the port opens ',
  'Version 2.5 is out ',
  '(“really?”) ',
  '... ',
  'etc.; and more, ',
  '123 – 456 ',
  '港は開く。',
  'مرحبا؟ ',
  '😀',
  'e\u0301',
  '\u00ad',
  '\r\n',
  '\u2029',
];
const longText = fc
  .array(fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 4 })
  .chain((blocks) =>
    fc
      .array(fc.integer({ min: 1, max: 60 }), { minLength: blocks.length, maxLength: blocks.length })
      .map((times) => blocks.map((block, n) => block.join('').repeat(times[n]!)).join('')),
  );

describe('[H2] the sentences of a long text', () => {
  afterEach(() => vi.restoreAllMocks());

  it('are those that a segmenter finds in the whole text', () => {
    fc.assert(
      fc.property(longText, (text) => {
        const found = sentencesOf(text).map(({ start, end }) => text.slice(start, end));
        expect(found).toEqual(segments(text));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['short sentences', 'The quick fox, it jumps over dogs. '],
    ['one long sentence', 'word '],
    ['no letter after a full stop', '. 1'],
    ['no white space', '港は開く。'],
  ])('are looked for in short windows: %s', (_, unit) => {
    const text = unit.repeat(60_000 / unit.length);
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    const sentences = sentencesOf(text);
    const given = segment.mock.calls.map(([part]) => part.length);
    // A segmenter takes as long for each of its steps as its text is long.
    expect(given.reduce((sum, length) => sum + length, 0)).toBeLessThan(3 * text.length);
    if (sentences.length > 2) expect(Math.max(...given)).toBeLessThan(2_000);
  });

  it('go on behind a sentence that is longer than a window', () => {
    const text = `Short one. Long: ${'word '.repeat(5_000)}ends. ${'Short again. '.repeat(2_000)}`;
    expect(sentencesOf(text)).toHaveLength(2_002);
  });
});
