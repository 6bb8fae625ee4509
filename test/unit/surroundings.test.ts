import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { surroundings } from '../../src/domain/text/surroundings.ts';

describe('the surroundings of a passage', () => {
  const text = Array.from({ length: 200 }, (_, n) => `Sentence number ${n} of the report.`).join(' ');
  const passage = { start: text.indexOf('Sentence number 100'), end: text.indexOf('Sentence number 103') };

  it('[A5] reach as far before as after it, and are cut between sentences', () => {
    const { start, end } = surroundings(text, passage, 1_000);
    const shown = text.slice(start, end);
    expect(shown.length).toBeLessThanOrEqual(1_000);
    expect(shown.length).toBeGreaterThan(800);
    expect(shown).toMatch(/^Sentence number \d+ of .*report\.$/s);
    expect(Math.abs(passage.start - start - (end - passage.end))).toBeLessThan(100);
  });

  it('[A5] at the beginning and the end of a text use the room of the other side', () => {
    expect(surroundings(text, { start: 0, end: 40 }, 1_000)).toMatchObject({ start: 0 });
    expect(surroundings(text, { start: 0, end: 40 }, 1_000).end).toBeGreaterThan(900);
    const last = { start: text.length - 40, end: text.length };
    expect(surroundings(text, last, 1_000).start).toBeLessThan(text.length - 900);
  });

  it('[A5] contain the passage, within the limit if it is', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 400, unit: 'grapheme' }),
        fc.nat(),
        fc.nat(),
        fc.nat(300),
        (any, a, b, max) => {
          const [start = 0, end = 0] = [a % (any.length + 1), b % (any.length + 1)].sort((x, y) => x - y);
          const part = surroundings(any, { start, end }, max);
          expect(part.start).toBeLessThanOrEqual(start);
          expect(part.end).toBeGreaterThanOrEqual(end);
          expect(part.end - part.start).toBeLessThanOrEqual(Math.max(max, end - start));
          expect(part.end).toBeLessThanOrEqual(any.length);
        },
      ),
    );
  });
});
