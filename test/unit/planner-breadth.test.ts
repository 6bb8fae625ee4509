import { describe, expect, it } from 'vitest';
import type { DrillLayer } from '../../src/domain/routing/actions.ts';
import { planOf } from '../../src/domain/routing/planner.ts';
import { proposedPlan } from '../../src/domain/routing/proposed-plan.ts';
import { vocabularyOf } from '../support/vocabulary.ts';

const vocabulary = vocabularyOf([
  { scope: { org: 'platform', team: 'alpha' }, metadata: { status: 'accepted' } },
  { scope: { org: 'billing', team: 'beta' }, metadata: { status: 'rejected' } },
]);
const operandsFor = (question: string) => planOf(question, vocabulary).operands;

describe('[B4] a question about all places of a kind', () => {
  it.each<[question: string, query: string, across: DrillLayer[]]>([
    ['Compare error handling patterns across all teams', 'error handling patterns', ['team']],
    ['Compare error handling patterns across teams', 'error handling patterns', ['team']],
    ['Compare retries across our different orgs', 'retries', ['org']],
    ['List the retry policies in all projects', 'retry policies', ['project']],
    ['Compare the retries across every team', 'retries', ['team']],
    ['List the retry policies for each team', 'retry policies', ['team']],
    ['For each team, list the retry policies of all projects', 'retry policies', ['team', 'project']],
    ['List the retry policies in every org', 'retry policies', ['org']],
    ['What does each department and each squad say about retries?', 'retries', ['org', 'team']],
    ['List all accepted proposals for each team', 'proposals', ['team']],
    ['Compare all teams', 'Compare all teams', ['team']],
    ['List what each team leaves to others', 'List what each team leaves to others', ['team']],
    ['How do all teams treat failures across projects?', 'teams treat failures', ['team', 'project']],
  ])('has the places in `across` and not in its query: %s', (question, query, across) => {
    expect(operandsFor(question)).toMatchObject([{ query, across }]);
  });

  it.each([
    'Compare the teams on error handling patterns',
    'Which teams have rules about retries?',
    'Compare the retries across the company',
    'List the retry policies in all releases',
    'Compare the habits across team boundaries',
    'List all team names',
    'Compare what "Swap across all teams" solves',
    'Compare the retries across the platform teams',
    'Compare the retries of alpha and beta across all projects',
    'Compare mutexes with channels across all teams',
  ])('has no `across` if it asks for the places, means something else, or has sides: %s', (question) => {
    for (const operand of operandsFor(question)) expect(operand).not.toHaveProperty('across');
  });
});

describe('[B4] a proposal of a language model', () => {
  it('takes the places from the question', () => {
    const part = { query: 'error handling patterns', conditions: [], follow: null };
    const question = 'Compare error handling patterns across all teams';
    const plan = proposedPlan(question, { aggregation: 'compare', parts: [part] }, vocabulary);
    expect(plan?.operands).toMatchObject([{ query: part.query, across: ['team'] }]);
  });
});

describe('[B6] the subject of a comparison', () => {
  it.each([
    ['Compare error handling across teams', ['error handling']],
    ['Compare how all our teams are handling refunds across projects', ['handling refunds']],
    ['Compare how teams handle refunds', ['Compare how teams handle refunds']],
    ['How do teams across departments handle refunds?', ['teams handle refunds']],
    [
      'Compare error handling of the gateway and the worker',
      ['error handling gateway', 'error handling worker'],
    ],
    ['Compare gateway and worker error handling', ['gateway', 'worker error handling']],
  ])('keeps the words that name it, even if they could belong to the request: %s', (question, queries) => {
    expect(operandsFor(question).map(({ query }) => query)).toEqual(queries);
  });
});
