import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import type { ContextCandidate } from '../../src/domain/context/candidate.ts';
import { entryText } from '../../src/domain/context/entries.ts';
import { recentTurns, type RecentTurns } from '../../src/domain/context/turns.ts';

const turn = (id: string, content: string): ContextCandidate => ({
  id,
  content,
  layer: 'session',
  time: '2026-02-04T00:00:00Z',
  relevance: 1,
});
const hall = turn('hall', 'user: I booked the Blue Hall for 12 people.');
const short = turn('short', 'assistant: Noted.');
const long = turn('long', `user: ${'The weather of the week changes from day to day. '.repeat(11)}`);

function shown(budget: number, newestFirst: readonly ContextCandidate[], more: Partial<RecentTurns> = {}) {
  const count = (text: string) => countTokens(text);
  return recentTurns({ turns: newestFirst, candidates: [], budget, count, ...more }).map((entry) => ({
    id: entry.memory.id,
    text: entryText(entry),
    start: entry.span.start,
  }));
}

describe('[E8] recent turns', () => {
  it.each([200, 400])('include the turns before a large newest one, which is cut: budget %d', (budget) => {
    const turns = shown(budget, [long, short, hall]);
    expect(turns.map(({ id }) => id)).toEqual(['hall', 'short', 'long']);
    expect(turns[0]!.text).toBe(hall.content);
    expect(turns[2]!.text).toMatch(/^user: The weather .*day to day\.$/);
    expect(turns[2]!.text.length).toBeLessThan(long.content.trim().length);
  });

  it('cut a pasted log at a line, and give an only turn the whole share', () => {
    const lines = Array.from({ length: 300 }, (_, n) => `10:${n} worker ${n} waits for the queue`);
    const log = turn('log', `Why does this fail?\n${lines.join('\n')}`);
    const [, cut] = shown(2_000, [log, hall]);
    expect(cut!.text).toMatch(/^Why does this fail\?\n.* waits for the queue$/s);
    const [only] = shown(2_000, [log]);
    expect(only!.text.length).toBeGreaterThan(1.7 * cut!.text.length);
  });

  it('show the passage of a cut turn that the search found', () => {
    const log = turn(
      'log',
      `${long.content.repeat(20)}\nERROR: the disk is full. ${long.content.repeat(20)}`,
    );
    const start = log.content.indexOf('ERROR');
    const candidates = [{ ...log, passage: { start, end: start + 300 } }];
    const [cut] = shown(2_000, [log], { candidates });
    expect(cut).toMatchObject({ start, text: expect.stringMatching(/^ERROR: the disk is full\./) });
  });

  it('cut text without sentences after a word, and without words after a character', () => {
    expect(shown(200, [turn('words', 'many words '.repeat(400))])[0]!.text).toMatch(/(?:many|words)$/);
    const [ships] = shown(200, [turn('ships', '🚢'.repeat(4_000))]);
    expect(ships!.text.isWellFormed()).toBe(true);
  });

  it('are none in a budget that is too small', () => {
    for (const budget of [1, 10, 40]) expect(shown(budget, [long, hall])).toEqual([]);
  });
});
