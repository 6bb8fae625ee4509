import { describe, expect, it } from 'vitest';
import type { TermFrequencies } from '../../src/domain/ranking/bm25.ts';
import { askedTimes, datedAs } from '../../src/domain/ranking/dates.ts';
import type { CandidateSignals } from '../../src/domain/ranking/score.ts';
import { speakerMatcher, speakerOf } from '../../src/domain/ranking/speaker.ts';
import { windowAt } from '../../src/domain/ranking/window.ts';
import { termCounts } from '../../src/domain/text/tokens.ts';
import { scoreCandidates } from '../support/score-candidates.ts';

function frequencies(text: string): TermFrequencies {
  const { counts, length } = termCounts(text);
  return { termFrequencies: counts, length };
}

function scores(question: string, candidates: readonly CandidateSignals[]): number[] {
  const request = {
    text: question,
    terms: [...termCounts(question).counts.keys()],
    statistics: { documents: 500, documentFrequency: new Map<string, number>() },
    model: 'bge-small-en-v1.5',
  };
  return scoreCandidates(request, candidates);
}

describe('the window of a turn', () => {
  const turns = ['alpha', 'beta', 'gamma', 'delta gamma', 'omega'].map(frequencies);

  it('contains two turns before, the turn itself and one after', () => {
    const { termFrequencies, length } = windowAt(turns, 2);
    expect(Object.fromEntries(termFrequencies)).toEqual({ alpha: 1, beta: 1, gamma: 2, delta: 1 });
    expect(length).toBe(5);
  });

  it('ends at the ends of the session', () => {
    expect([...windowAt(turns, 0).termFrequencies.keys()]).toEqual(['alpha', 'beta']);
    expect([...windowAt(turns, 4).termFrequencies.keys()]).toEqual(['gamma', 'delta', 'omega']);
  });

  it('helps to find an answer whose words are in the question before it', () => {
    const session = [
      'Melanie: How was the pottery workshop?',
      'Caroline: Wonderful, I made two bowls.',
      'Melanie: Lunch?',
    ].map(frequencies);
    const reply = { ...session[1]!, cosine: 0.6 };
    const [apart, together] = scores('What was made in the pottery workshop?', [
      reply,
      { ...reply, window: windowAt(session, 1) },
    ]) as [number, number];
    expect(together).toBeGreaterThan(apart);
  });
});

describe('a turn between long ones', () => {
  const long = 'We talked about the budget, the roof of the house and the holidays. '.repeat(20);
  const session = [long, 'ok', 'Alice prefers tea over coffee.', long].map(frequencies);

  it.each([
    ['ok', 1, undefined],
    ['ok', 1, 0.863],
    ['Alice prefers tea over coffee.', 2, undefined],
    ['Alice prefers tea over coffee.', 2, 0.95],
  ])('is still found by its own text: %s (turn %i, cosine %s)', (text, index, cosine) => {
    const turn = { ...session[index]!, cosine, window: windowAt(session, index) };
    expect(scores(text, [turn])[0]).toBeGreaterThanOrEqual(0.7);
  });
});

describe('the speaker of a turn', () => {
  it.each([
    ['Caroline: I went there.', {}, 'caroline'],
    ['I went there.', { speaker: 'José Díaz' }, 'jose diaz'],
    ['assistant: ok', { role: 'user' }, 'user'],
    ['assistant: ok', { speaker: '!', role: '…' }, 'assistant'],
    ['I went there. Note: twice.', {}, undefined],
    ['12:30 we met', {}, undefined],
    [': nothing', { speaker: '', role: 7 }, undefined],
  ])('of %s with %o is %s', (content, metadata, speaker) => {
    expect(speakerOf(content, metadata)).toBe(speaker);
  });

  it('is meant by name, or by the asker in the first person', () => {
    expect(speakerMatcher("What is Caroline's job?")('caroline')).toBe('named');
    expect(speakerMatcher('What did Carol say?')('caroline')).toBeUndefined();
    expect(speakerMatcher('Have I used Flask in my project?')('user')).toBe('asker');
    expect(speakerMatcher('Have I used Flask in my project?')('assistant')).toBeUndefined();
    expect(speakerMatcher('Which framework was used?')('user')).toBeUndefined();
  });

  it('raises the score of the speaker that the question is about', () => {
    const turn = { ...frequencies('Painted a sunrise over the lake'), cosine: 0.6 };
    const [nobody, other, named] = scores('When did Melanie paint a sunrise?', [
      turn,
      { ...turn, speaker: 'caroline' },
      { ...turn, speaker: 'melanie' },
    ]) as [number, number, number];
    expect(other).toBe(nobody);
    expect(named).toBeGreaterThan(other);
  });
});

describe('the months of a question', () => {
  it.each([
    ['What happened in June?', [{ month: 5 }]],
    // A question about a day is not about the rest of its month.
    ['Where was she on 7 May 2023?', []],
    ['the release of 2024-02-29', []],
    ['the release of 2024-02', [{ month: 1, year: 2024 }]],
    ['between March and APRIL', [{ month: 2 }, { month: 3 }]],
    [
      'in May 2023 and June 2024',
      [
        { month: 4, year: 2023 },
        { month: 5, year: 2024 },
      ],
    ],
    ['on 7 May 2023, June 3rd, 2024 and in July of 2022', [{ month: 6, year: 2022 }]],
    [
      'what of May 2023 came back in June and July 2024?',
      [
        { month: 4, year: 2023 },
        { month: 5, year: 2024 },
        { month: 6, year: 2024 },
      ],
    ],
    [
      'more in May 2023 than in June?',
      [
        { month: 4, year: 2023 },
        { month: 5, year: 2023 },
      ],
    ],
    [
      'In 2023 June was wet, in 2024 it was July',
      [
        { month: 5, year: 2023 },
        { month: 6, year: 2024 },
      ],
    ],
    ['What was new in June, of what was planned for 2024?', [{ month: 5, year: 2024 }]],
    ['on 2023-05-07 and in June 2024', [{ month: 5, year: 2024 }]],
    ['May I march to the office, or may I not?', []],
    ['What happened in 2023?', []],
    ['decembers and juneau', []],
  ])('%s', (question, months) => {
    expect(askedTimes(question).months).toEqual(months);
  });

  it('are compared with times in UTC', () => {
    const times = askedTimes('What happened in May 2023?');
    expect(askedTimes('May I ask, and march on?').months).toEqual([]);
    expect(askedTimes('What happened in May?').months).toHaveLength(1);
    expect(datedAs('2023-06-01T01:00:00+02:00', times)).toBe(1);
    expect(datedAs('2022-05-31', times)).toBe(0);
    expect(datedAs('2023-05-31', askedTimes('What happened?'))).toBe(0);
  });

  it('raise the score of memories from that month', () => {
    const turn = { ...frequencies('We went camping'), cosine: 0.6 };
    const [undated, other, june] = scores('When did they go camping in June 2023?', [
      turn,
      { ...turn, occurredAt: '2022-06-10T00:00:00Z' },
      { ...turn, occurredAt: '2023-06-10T00:00:00Z' },
    ]) as [number, number, number];
    expect(other).toBe(undated);
    expect(june).toBeGreaterThan(other);
  });
});

describe('a time that a question asks about', () => {
  const now = new Date('2026-02-10T12:00:00Z');

  it.each<[question: string, ...times: [time: string, level: number][]]>([
    ['Who came on 7 May 2023?', ['2023-05-07T23:00Z', 2], ['2023-05-08T00:00Z', 0], ['2023-06-07', 0]],
    ['What broke yesterday?', ['2026-02-09T08:00Z', 2], ['2026-02-10T08:00Z', 0]],
    ['What did we say last week?', ['2026-02-04', 2], ['2026-01-20', 0]],
    ['What was new two weeks ago?', ['2026-01-27', 2], ['2026-02-09', 0]],
    ['What was new last month?', ['2026-01-20', 1], ['2025-12-31', 0]],
    ['the figures of Q3 2025', ['2025-08-01', 1], ['2025-10-01', 0]],
    ['the last 3 years', ['2025-08-01', 0]],
  ])('%s', (question, ...times) => {
    const meant = askedTimes(question, now);
    expect(times.map(([time]) => [time, datedAs(time, meant)])).toEqual(times);
  });

  it('is not read from a pasted text with many times', () => {
    const days = (count: number) =>
      Array.from({ length: count }, (_, n) => `2024-03-${10 + n}: ok`).join('\n');
    expect(askedTimes(days(8)).periods).toHaveLength(8);
    expect(askedTimes(days(9)).periods).toEqual([]);
  });

  it('is not relative without a current time', () => {
    expect(askedTimes('What broke yesterday?').periods).toEqual([]);
  });
});
