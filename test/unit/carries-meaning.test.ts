import { describe, expect, it } from 'vitest';
import { scorerOf } from '../../src/domain/ranking/score.ts';
import { carriesMeaning } from '../../src/domain/text/carries-meaning.ts';
import { queryTerms, termCounts } from '../../src/domain/text/tokens.ts';

describe('[A5] what carries meaning', () => {
  it.each([
    ...['👍', '🙂🙂', '???', '...', '-', '--->', 'a', 'I', 'x y', '1', '42', '1.07', '$5', '2026-11-02'],
    ...['<br>', '</p>', '<a href="x">', '&nbsp;', 'the', 'What?', ' ', 'で?'],
  ])('not %j', (text) => expect(carriesMeaning(text)).toBe(false));

  it.each([
    ...['ok', 'hi', 'AI', 'K8s', 'Who am I?', 'to be or not to be', 'room 42', '<b>printer</b>', 'née'],
    ...['猫', '我的猫在哪里?', '집', 'コーヒー', 'กาแฟ', 'أين القطة؟', 'где кот?', 'καφές'],
  ])('but %j', (text) => expect(carriesMeaning(text)).toBe(true));
});

describe.each([
  ['bge-small-en-v1.5', 0.75],
  ['multilingual-e5-small', 0.9],
  ['a model that nobody measured', 0.99],
])('[A5] the score of a memory for a query without meaning: %s', (model, cosine) => {
  const score = (query: string, text: string, occurredAt?: string) => {
    const { counts, length } = termCounts(text);
    const statistics = { documents: 12, documentFrequency: new Map() };
    const scorer = scorerOf({
      text: query,
      terms: queryTerms(query),
      statistics,
      model,
    });
    // As near as the model places what it cannot read.
    const candidate = { text, cosine, termFrequencies: counts, length };
    return scorer.score({ ...candidate, ...(occurredAt !== undefined && { occurredAt }) });
  };

  it.each(['👍', '???', '...', '-', 'a', '1', '<br>'])(
    'is 0 for %j, however near the vectors are',
    (query) => {
      expect(score(query, '我的猫叫小白。')).toBe(0);
      expect(score(query, 'The spare key hangs behind the blue door.')).toBe(0);
      expect(score('The printer', '我的猫叫小白。')).toBeGreaterThan(0);
    },
  );

  it.each([
    ['👍', '👍'],
    ['???', '???'],
    ['C++', 'C++'],
    ['42', '42'],
    ['42', 'Gate 42 is closed.'],
    ['1.07', 'The printer is in room 1.07.'],
    ['👍', 'The team reacted with 👍 to the proposal.'],
  ])('counts the same words: %s in %s', (query, text) =>
    expect(score(query, text)).toBeGreaterThan(score('unrelated words', text)),
  );

  it('counts a day that it names', () => {
    expect(score('2026-11-02', 'The lift was repaired.', '2026-11-02T10:00:00Z')).toBeGreaterThan(0);
    expect(score('2026-11-02', 'The lift was repaired.', '2026-12-03T10:00:00Z')).toBe(0);
  });
});
