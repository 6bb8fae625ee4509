import { describe, expect, it } from 'vitest';
import type { Layer, Scope } from '../../src/domain/layers.ts';
import { asksPast } from '../../src/domain/ranking/asks-past.ts';
import { askedTimes } from '../../src/domain/ranking/dates.ts';
import { byPrecedence, namedFirst } from '../../src/domain/ranking/precedence-order.ts';
import { SameMatter } from '../../src/domain/ranking/same-matter.ts';
import { UNKNOWN_MODEL } from '../../src/domain/ranking/scales.ts';
import { relevanceOf } from '../../src/domain/ranking/score-scale.ts';
import { termCounts } from '../../src/domain/text/tokens.ts';

interface Result {
  readonly text: string;
  readonly score: number;
  readonly day?: number;
  readonly layer?: Layer;
  readonly scope?: Scope;
  readonly isRefuted?: boolean;
}

/** The texts in the order by precedence, compared by their words alone. */
function ordered(...results: Result[]): string[] {
  const compared = results.map(
    ({ text, score, day = 1, layer = 'company' as const, scope = {}, isRefuted }) => ({
      id: text,
      text,
      relevance: relevanceOf(score),
      layer,
      scope,
      isRefuted,
      time: day * 86_400_000,
      substance: { terms: new Set(termCounts(text).counts.keys()) },
    }),
  );
  const matter = new SameMatter(compared, { question: 'When does the crew meet?', scale: UNKNOWN_MODEL });
  return byPrecedence(
    compared,
    (one) => one,
    UNKNOWN_MODEL,
    (newer, older) => matter.replaces(newer, older) || undefined,
  ).map(({ text }) => text);
}

const monday = 'The standup meeting of the harbour crew is on Monday';
const tuesday = 'The standup meeting of the harbour crew is on Tuesday';
const lunch = 'Lunch is served at noon';

describe('two results that speak of the same thing', () => {
  it('[D4] stand with the newer one directly before the older', () => {
    const [old, fresh] = [
      { text: monday, score: 0.85 },
      { text: tuesday, score: 0.8, day: 2 },
    ];
    expect(ordered(old, { text: lunch, score: 0.82 }, fresh)).toEqual([tuesday, monday, lunch]);
    expect(ordered({ ...fresh, score: 0.85 }, { text: lunch, score: 0.82 }, old)).toEqual([
      tuesday,
      lunch,
      monday,
    ]);
  });

  it('[D4] stand with the more specific layer first, even if the other is newer', () => {
    const general = { text: monday, score: 0.85, day: 2 };
    const own: Result = { text: tuesday, score: 0.8, layer: 'project', scope: { project: 'harbour' } };
    expect(ordered(general, own)).toEqual([tuesday, monday]);
  });

  it.each<[string, Partial<Result>, Partial<Result>]>([
    ['the newer is far less relevant', { score: 0.9 }, { score: 0.81 }],
    [
      'they belong to two people',
      { layer: 'user', scope: { user: 'ada' } },
      { layer: 'user', scope: { user: 'bob' } },
    ],
    [
      'they belong to two teams',
      { scope: { team: 'red' } },
      { layer: 'user', scope: { team: 'blue', user: 'ada' } },
    ],
    ['they are turns of one session', { scope: { session: 's' } }, { scope: { session: 's' } }],
    ['both are equally old', { day: 2 }, {}],
    ['they are about different things', { text: 'The harbour pays for lunch' }, {}],
  ])('[D4] keep their order if %s', (_, one, other) => {
    const old = { text: monday, score: 0.85, ...one };
    const fresh = {
      text: 'Standup of the crew: Tuesday at noon in the harbour office, bring notes',
      score: 0.83,
      day: 2,
      ...other,
    };
    expect(ordered(old, fresh)).toEqual([old.text, fresh.text]);
  });

  it('[A20] stand with what holds before what its writer calls outdated, even if that is newer', () => {
    const outdated = { text: tuesday, score: 0.9, day: 2, isRefuted: true };
    const kept = { text: monday, score: 0.8 };
    expect(ordered(outdated, { text: lunch, score: 0.82 }, kept)).toEqual([monday, tuesday, lunch]);
  });

  it('[D4] form a chain from the newest to the oldest', () => {
    const versions = [1, 2, 3].map((day) => ({
      text: `${monday}, version ${day}`,
      score: 0.85 - day / 100,
      day,
    }));
    expect(ordered(...versions)).toEqual(versions.map(({ text }) => text).toReversed());
  });
});

describe('memories of a place that the request names', () => {
  const of = (text: string, score: number, layer: Layer, scope: Scope = {}) => ({
    text,
    score,
    layer,
    scope,
  });
  const order = (results: readonly Result[], scope?: Scope) =>
    namedFirst(
      results,
      ({ score, layer = 'company', scope: own = {} }) => ({
        relevance: relevanceOf(score),
        layer,
        scope: own,
      }),
      scope,
    ).map(({ text }) => text);
  const results = [
    of('company', 0.82, 'company'),
    of('team', 0.815, 'team', { team: 'red', project: 'p' }),
    of('project', 0.812, 'project', { project: 'p' }),
    of('far', 0.8, 'project', { project: 'p' }),
  ];

  it('[D4] are preferred a little', () => {
    expect(order(results, { project: 'p' })).toEqual(['project', 'company', 'team', 'far']);
    expect(order(results, { project: 'p', team: 'red' })).toEqual(['team', 'project', 'company', 'far']);
  });

  it('[D4] are not preferred where the request names nothing, or another place', () => {
    const given = results.map(({ text }) => text);
    expect(order(results)).toEqual(given);
    expect(order(results, { project: 'other' })).toEqual(given);
  });
});

describe('a question for the past', () => {
  const now = new Date('2026-11-20T12:00:00Z');

  it.each([
    'What did they use before they switched?',
    'Before the shop was added, what limit did it have?',
    'Which plan did Northwind have last winter?',
    'What was our quota in March 2026?',
    'Who previously owned the importer?',
    'Where did she use to live? She used to live near us',
    'Welche Adresse hatte er früher?',
    '原来的电话号码是多少?',
    'Какой номер был раньше?',
    'What happened yesterday?',
  ])('[D4] is recognised: %s', (question) => {
    expect(asksPast(question, askedTimes(question, now), now)).toBe(true);
  });

  it.each([
    'How large may the bundle be before CI complains?',
    'When was the meeting moved to?',
    'Which plan does Northwind have right now?',
    'Where did we put the spare key?',
    'What changes on 3 May 2027?',
    'When does the office open?',
  ])('[D4] is not: %s', (question) => {
    expect(asksPast(question, askedTimes(question, now), now)).toBe(false);
  });
});
