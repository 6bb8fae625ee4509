import { describe, expect, it } from 'vitest';
import {
  conflictSteps,
  type Conflict,
  type StoredComparable,
} from '../../src/domain/consistency/conflicts.ts';

const day = (n: number) => `2026-05-0${n}T00:00:00.000Z`;

function statement(id: string, content: string, more: Partial<StoredComparable> = {}): StoredComparable {
  return { id, content, scope: {}, metadata: {}, updatedAt: day(1), ...more };
}

function conflicts(stored: StoredComparable, others: readonly StoredComparable[]): Conflict[] {
  const steps = conflictSteps(stored, others);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

describe('conflicts of a stored memory', () => {
  const stored = statement('new', 'The port is 9090', { updatedAt: day(3) });

  it('[A14] contradict what says something else, and leave out what does not', () => {
    const others = [statement('old', 'The port is 8080'), statement('other', 'Ines speaks Portuguese.')];
    expect(conflicts(stored, others)).toEqual([
      {
        id: 'old',
        kind: 'contradicts',
        reason: expect.stringMatching(/"9090".*"8080"/),
        confidence: 0.8,
        isOutdated: false,
      },
    ]);
  });

  it.each([
    ['Fact number 1 about shards of the search service', 'Fact number 2 about shards of the search service'],
    ['Ticket 123 about shards of the search service', 'Ticket 124 about shards of the search service'],
    ['The review of RFC 9110 is due in the search team', 'The review of RFC 9112 is due in the search team'],
  ])('[A14] do not contradict what has another number as its name: %s', (one, other) => {
    expect(conflicts(statement('new', one), [statement('old', other)])).toEqual([]);
  });

  it('[A14] supersede what is about an earlier time, and are outdated by what is about a later one', () => {
    const dated = statement('new', 'The port is 9090', { occurredAt: day(5) });
    const others = [
      statement('a', 'The port is 8080', { occurredAt: day(2) }),
      statement('b', 'The port is 8081', { occurredAt: day(7) }),
    ];
    expect(conflicts(dated, others)).toMatchObject([
      { id: 'a', kind: 'supersedes', isOutdated: false },
      { id: 'b', kind: 'contradicts', isOutdated: true },
    ]);
  });

  it('[A14] are outdated by the time of an undated memory that was stored later', () => {
    const past = statement('new', 'The port is 9090', { occurredAt: day(1), updatedAt: day(9) });
    expect(conflicts(past, [statement('old', 'The port is 8080', { updatedAt: day(4) })])).toMatchObject([
      { kind: 'contradicts', isOutdated: true },
    ]);
  });

  it('[A14] duplicate the same and nearly the same text of the same thing', () => {
    const words = Array.from({ length: 80 }, (_, n) => `word${n}`);
    const long = statement('new', words.join(' '));
    const others = [
      statement('same', long.content),
      statement('near', [...words, 'end'].join(' ')),
      statement('half', words.slice(40).join(' ')),
      statement('elsewhere', long.content, { metadata: { section: '2' } }),
    ];
    expect(conflicts({ ...long, metadata: { section: '1' } }, others)).toMatchObject([
      { id: 'same', kind: 'duplicates', confidence: 1 },
      { id: 'near', kind: 'duplicates', confidence: 0.98 },
    ]);
  });

  it('[A14] are sorted by confidence, the most certain first', () => {
    const others = [statement('a', 'The server uses PostgreSQL'), statement('b', 'The server uses MySQL')];
    const found = conflicts(statement('new', 'The server uses MySQL'), others);
    expect(found.map(({ id, confidence }) => [id, confidence])).toEqual([
      ['b', 1],
      ['a', 0.5],
    ]);
  });
});
