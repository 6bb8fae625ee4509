import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import {
  assemblySteps,
  type AssembledContext,
  type ContextRequest,
} from '../../src/domain/context/assemble.ts';
import type { BlockStatement, SummaryCandidate } from '../../src/domain/context/block.ts';
import type { ContextCandidate } from '../../src/domain/context/candidate.ts';
import { isTiedToDays } from '../../src/domain/context/stable.ts';
import { statementsOf } from '../../src/domain/summaries/statements.ts';

function contextOf(more: Partial<ContextRequest>): AssembledContext {
  const steps = assemblySteps({
    query: 'When are releases cut?',
    budget: 500,
    candidates: [],
    count: (text) => countTokens(text),
    asksPast: false,
    asksTime: false,
    ...more,
  });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const memory = (id: string, content: string, more: Partial<ContextCandidate> = {}): ContextCandidate => ({
  id,
  content,
  layer: 'team',
  time: '2026-02-04T00:00:00Z',
  relevance: 0.9,
  ...more,
});
const statement = (id: string, text: string): BlockStatement => ({ text, sources: [{ id }] });
const mondays = 'Releases of Helios are cut on Mondays.';
const tokens = 'The gateway caches access tokens for ten minutes.';
const reviews = 'Incident reviews happen on Thursday afternoons.';
const ofTeam = (statements: readonly BlockStatement[]): SummaryCandidate => ({
  id: 'team-search',
  layer: 'team',
  scope: { team: 'search' },
  generatedAt: '2026-03-01T00:00:00Z',
  versions: [
    { depth: 'detailed', statements },
    { depth: 'sentence', statements: statements.slice(0, 1) },
  ],
});

describe('summaries in a context', () => {
  it('[E8] come after the memories, under a heading, with their sources', () => {
    const context = contextOf({
      candidates: [memory('a', mondays)],
      summaries: [ofTeam([statement('b', tokens), statement('c', reviews)])],
    });
    expect(context.text).toBe(
      `Memories:\n[1] ${mondays}\nSummaries:\n[2] (team search) ${tokens}\n  ${reviews}`,
    );
    expect(context.tokenCount).toBe(countTokens(context.text));
    expect(context.items[1]).toMatchObject({
      kind: 'summary',
      id: 'team-search',
      layer: 'team',
      citation: '[2] summary of team search, 2026-03-01, from 2 memories',
      sources: [{ id: 'b' }, { id: 'c' }],
    });
  });

  it('[E8] repeat no memory in the context, by its id or by its words, nor what was left out as a repetition or superseded', () => {
    const said = [
      statement('a', 'Cut on Mondays.'),
      statement('x', `${mondays}`),
      statement('old', 'Releases of Helios are cut on Sundays.'),
      statement('copy', 'Releases happen weekly.'),
    ];
    const candidates = [
      memory('a', mondays),
      memory('old', 'Releases of Helios are cut on Sundays.', { supersededBy: 'a' }),
      memory('copy', mondays),
    ];
    expect(contextOf({ candidates, summaries: [ofTeam(said)] }).items).toHaveLength(1);
    const { items } = contextOf({ candidates, summaries: [ofTeam([...said, statement('b', tokens)])] });
    expect(items[1]).toMatchObject({ kind: 'summary', text: tokens, sources: [{ id: 'b' }] });
  });

  it('[E8] repeat no other summary', () => {
    const other = {
      ...ofTeam([statement('y', tokens)]),
      id: 'company',
      layer: 'company' as const,
      scope: {},
    };
    const { items } = contextOf({ summaries: [ofTeam([statement('b', tokens)]), other] });
    expect(items.map(({ id }) => id)).toEqual(['team-search']);
  });

  it('[E8] take the deepest depth that fits into a quarter of the budget, and no room from memories', () => {
    const long = [mondays, tokens, reviews].map((text, n) => statement(`s${n}`, text));
    const depthIn = (budget: number, candidates: readonly ContextCandidate[] = []) =>
      contextOf({ budget, candidates, summaries: [ofTeam(long)] }).blocks.map(({ block }) => block.depth);
    expect(depthIn(400)).toEqual(['detailed']);
    expect(depthIn(100)).toEqual(['sentence']);
    expect(depthIn(20)).toEqual([]);
    const short = { ...ofTeam(long), versions: ofTeam(long).versions.slice(0, 1) };
    const [part] = contextOf({ budget: 100, summaries: [short] }).items;
    expect(part).toMatchObject({ kind: 'summary', sources: [{ id: 's0' }] });
    const candidates = Array.from({ length: 30 }, (_, n) =>
      memory(`m${n}`, `Database number ${n} of Harborline is kept in region ${n * 7}.`),
    );
    const withSummaries = contextOf({ budget: 250, candidates, summaries: [ofTeam(long)] });
    expect(withSummaries.text).toBe(contextOf({ budget: 250, candidates }).text);
  });

  it('[E8] never exceed the budget, whatever it is', () => {
    const statements = [mondays, tokens, reviews].map((text, n) => statement(`s${n}`, text));
    const profile = { id: 'p', layer: 'user' as const, scope: { user: 'mia' }, statements };
    for (let budget = 1; budget < 200; budget += 3) {
      const { text, tokenCount } = contextOf({
        budget,
        candidates: [memory('a', 'Releases are cut by the release manager.')],
        turns: [memory('t', 'user: When?')],
        summaries: [ofTeam(statements)],
        profile,
      });
      expect(tokenCount).toBe(text === '' ? 0 : countTokens(text));
      expect(tokenCount).toBeLessThanOrEqual(budget);
    }
  });
});

describe('a profile in a context', () => {
  const profile = {
    id: 'user-mia',
    layer: 'user' as const,
    scope: { user: 'mia' },
    statements: [statement('p', 'Mia prefers short answers.'), statement('q', 'Mia works in Oslo.')],
  };

  it('[E8] comes first, without a question that matches, in a fifth of the budget', () => {
    const { text, items } = contextOf({ profile });
    expect(text).toBe('About the user:\n[1] Mia prefers short answers.\n  Mia works in Oslo.');
    expect(items).toMatchObject([
      { kind: 'profile', id: 'user-mia', citation: '[1] profile of user mia, from 2 memories' },
    ]);
    expect(contextOf({ profile, budget: 70 }).items[0]!.sources).toEqual([{ id: 'p' }]);
    expect(contextOf({ profile, budget: 30 }).text).toBe('');
  });

  it('[E8] leaves a memory that answers the question to the memories', () => {
    const candidates = [memory('p', 'Mia prefers short answers.')];
    const { items } = contextOf({ profile, candidates });
    expect(items.map(({ kind, text }) => [kind, text])).toEqual([
      ['profile', 'Mia works in Oslo.'],
      ['memory', 'Mia prefers short answers.'],
    ]);
  });

  it.each([
    [false, 'Mia prefers short answers.'],
    [false, 'Is a vegetarian since 7 May 2025.'],
    [false, 'Born on 7 May 1990.'],
    [false, 'Né le 1990-05-07 à Lyon.'],
    [false, 'Nacido el 1990-05-07.'],
    [false, 'Nací el 1990-05-07.'],
    [false, 'Works from home on Mondays.'],
    [false, 'Moved to Oslo in March 2024.'],
    [true, 'Meets Tom on 7 May 2026 at 3 pm.'],
    [true, 'Calls Dana tomorrow.'],
    [true, 'Went to Paris last week.'],
    [true, 'Can be reached by phone until 5 June.'],
  ])('[E8] says only what is not tied to single days (%s: %s)', (isTied, text) => {
    expect(isTiedToDays(text, '2026-03-03T10:00:00Z')).toBe(isTied);
  });
});

describe('the statements of a summary', () => {
  it('[E8] end with the marks of their sources', () => {
    expect(statementsOf(`${mondays} [1] ${tokens} Ask Tom. [2]`, 2)).toEqual([
      { text: mondays, sources: [0] },
      { text: `${tokens} Ask Tom.`, sources: [1] },
    ]);
    expect(statementsOf('Both. [1] [3] One. [2]', 3)).toEqual([
      { text: 'Both.', sources: [0, 2] },
      { text: 'One.', sources: [1] },
    ]);
  });

  it('[E8] may name a source several times if a language model wrote them', () => {
    expect(statementsOf('Both. [1][2] One again. [1]', 2, true)).toEqual([
      { text: 'Both.', sources: [0, 1] },
      { text: 'One again.', sources: [0] },
    ]);
  });

  it.each([
    'See note [2] for details. [1] Another. [2]',
    'See note [7] for details. [1]',
    'Without an end. [1] A rest',
  ])('[E8] cannot be told apart if a memory itself has marks: %s', (content) => {
    expect(statementsOf(content, 2)).toEqual([{ text: content, sources: [0, 1] }]);
  });
});
