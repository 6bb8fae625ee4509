import { describe, expect, it } from 'vitest';
import { MULTILINGUAL_E5_SMALL } from '../../src/domain/ranking/scales.ts';
import { successorSteps } from '../../src/domain/summaries/successors.ts';
import type { SummaryScope } from '../../src/domain/summaries/summary-scope.ts';

/** Told on a day, with the direction of its vector in degrees: texts on one matter have nearly the same. */
const told = (content: string, day: number, at: number) => ({ content, day, at });
const notes = [
  told('The bins stand behind the shed', 1, 60),
  told('Grandma likes long letters', 2, 70),
  told('The piano is a Bechstein', 3, 85),
  told('I live in Berlin.', 4, 0),
  told('I moved to Lisbon last week.', 50, 4),
  told('I moved to Porto yesterday.', 90, 2),
];
const user: SummaryScope = { layer: 'user', scope: { user: 'ada' } };

function successorsOf(scope: SummaryScope, without: readonly string[] = []): Record<string, string> {
  const sources = notes.map(({ content, day }) => ({
    id: content,
    revision: 0,
    content,
    time: new Date(day * 86_400_000),
    importance: 1,
  }));
  const vectors = new Map(
    notes
      .filter(({ content }) => !without.includes(content))
      .map(({ content, at }) => {
        const angle = (at * Math.PI) / 180;
        return [content, Float32Array.of(Math.cos(angle), Math.sin(angle))];
      }),
  );
  const steps = successorSteps(sources, scope, { vectors, scale: MULTILINGUAL_E5_SMALL });
  let step = steps.next();
  while (!step.done) step = steps.next();
  return Object.fromEntries([...step.value].map(([id, { content }]) => [id, content]));
}

describe('successors of memories by meaning', () => {
  it('[A20] [E1] are the last ones of a chain', () => {
    expect(successorsOf(user)).toEqual({
      'I live in Berlin.': 'I moved to Porto yesterday.',
      'I moved to Lisbon last week.': 'I moved to Porto yesterday.',
    });
  });

  it('[A20] [E1] are not known of a memory without a vector', () => {
    expect(successorsOf(user, ['I moved to Porto yesterday.'])).toEqual({
      'I live in Berlin.': 'I moved to Lisbon last week.',
    });
  });

  it('[A20] [E1] do not exist among the turns of a session', () => {
    expect(successorsOf({ layer: 'session', scope: { user: 'ada', session: 's1' } })).toEqual({});
  });
});
