import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { factsAboutUser } from '../../src/domain/profile/facts-about-user.ts';
import { UserNames } from '../../src/domain/profile/user-names.ts';

interface Judged {
  readonly user: string;
  /** When it was said. */
  readonly time: string;
  readonly text: string;
  /** Whether a person who reads it would put it into a profile of the user. */
  readonly belongs: boolean;
}

/** Notes from four worlds and of our own, in a dozen languages, judged by hand. */
const judged = JSON.parse(
  readFileSync(new URL('../fixtures/user-facts.json', import.meta.url), 'utf8'),
) as readonly Judged[];

const time = '2026-05-04T10:00:00Z';

function factsIn(text: string, user = 'mia', others: readonly string[] = []): readonly string[] {
  return factsAboutUser(text, time, new UserNames(user, [text, ...others]));
}

describe('facts about a user', () => {
  it('[E8] hold little that belongs in no profile, and most of what belongs', () => {
    const shown = judged.filter(
      ({ user, time, text }) => factsAboutUser(text, time, new UserNames(user, [text])).length > 0,
    );
    const right = shown.filter(({ belongs }) => belongs).length;
    expect(right / shown.length).toBeGreaterThanOrEqual(0.95);
    expect(right / judged.filter(({ belongs }) => belongs).length).toBeGreaterThanOrEqual(0.7);
  });

  it('[E8] are the sentences about the user, without a secret beside them', () => {
    expect(factsIn('I live in Leeds. The door code is 4471B.')).toEqual(['I live in Leeds.']);
    expect(factsIn('My partner is called Jonas. He teaches chemistry.')).toEqual([
      'My partner is called Jonas. He teaches chemistry.',
    ]);
    expect(factsIn("user: I've given up coffee. Is there matcha?\nassistant: I like coffee.")).toEqual([
      "I've given up coffee.",
    ]);
  });

  it('[E8] are known by the name in the id of the user, or one that the user says', () => {
    expect(factsIn('Dana prefers mail.', 'dana.kessel')).toHaveLength(1);
    expect(factsIn('Dana prefers mail.', 'u-81')).toEqual([]);
    expect(factsIn('Dana prefers mail.', 'u-81', ['Call me Dana, please.'])).toHaveLength(1);
    expect(factsIn('Tom prefers mail.', 'dana.kessel')).toEqual([]);
  });

  it('[A20] a lasting change counts, though it happened on a day', () => {
    expect(factsIn('I moved to Lisbon last week.')).toHaveLength(1);
    expect(factsIn('I flew to Lisbon last week.')).toEqual([]);
    expect(factsIn('My sister moved to Lisbon last week.')).toEqual([]);
  });

  it.each(['', '…', '```', ':', 'user:', '\n\n', 'I', 'my '.repeat(500), 'user: '.repeat(200)])(
    'is quiet about %j',
    (text) => {
      expect(factsIn(text)).toEqual([]);
    },
  );
});
