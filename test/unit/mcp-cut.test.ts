import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/domain/text/estimate-tokens.ts';
import { partOf, restOf, shares } from '../../src/mcp/cut.ts';

describe('a content that is cut', () => {
  it('[J3] is the same again when its parts are put together, and no part has half a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 2, max: 20 }),
        (text, most) => {
          const parts: string[] = [];
          for (let start: number | undefined = 0; start !== undefined;) {
            const part = partOf(text, start, most);
            expect(part.text.length).toBeLessThanOrEqual(most);
            expect(part.text.isWellFormed()).toBe(true);
            parts.push(part.text);
            start = restOf(part);
          }
          expect(parts.join('')).toBe(text);
        },
      ),
    );
  });

  it('[J3] begins at a whole character, wherever it is asked for', () => {
    expect(partOf('a🚢b', 2, 10)).toEqual({ text: '🚢b', start: 1, length: 4 });
    expect(partOf('abc', 9, 10)).toEqual({ text: '', start: 3, length: 3 });
  });
});

describe('the shares of several contents', () => {
  it('[A16] never exceed the budget, and leave none out while there is room', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 8 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 3_000 }), (all, maxTokens) => {
        const shown = shares(all, { mostOfEach: 2_000, maxTokens });
        expect(shown.map(estimateTokens).reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(
          maxTokens,
        );
        for (const [index, share] of shown.entries())
          expect(share).toBeLessThanOrEqual(Math.min(all[index]!, 2_000));
        if (all.reduce((sum, length) => sum + estimateTokens(length), 0) <= maxTokens)
          expect(shown).toEqual(all.map((length) => Math.min(length, 2_000)));
      }),
    );
  });

  it('[A16] cut the content at which the budget ends, unless little of it would remain', () => {
    expect(shares([400, 400, 400], { mostOfEach: 2_000, maxTokens: 150 })).toEqual([400, 200]);
    expect(shares([400, 400], { mostOfEach: 2_000, maxTokens: 110 })).toEqual([400]);
    expect(shares([400, 5_000], { mostOfEach: 2_000 })).toEqual([400, 2_000]);
  });
});
