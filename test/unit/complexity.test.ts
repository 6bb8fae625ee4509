import { describe, expect, it } from 'vitest';
import { complexityOf, signalWeights } from '../../src/domain/routing/complexity.ts';

const threshold = 0.3;

/** Complex questions with the signals that each must have. */
const complex: Record<string, readonly (keyof typeof signalWeights)[]> = {
  'compare patterns across teams': ['layers', 'aggregation', 'comparison'],
  'trace evolution of auth since last quarter': ['aggregation', 'structure'],
  'Compare error handling patterns across all Platform Engineering teams': [
    'layers',
    'aggregation',
    'comparison',
  ],
  'compare error handling across the platform teams': ['layers', 'comparison'],
  'how did auth evolve since last quarter': ['aggregation'],
  'What is the difference between the caching of Search and of Billing?': ['comparison'],
  'How do the departments handle incidents?': ['layers'],
  'Which proposals require EIP-4750 (EOF - Functions)?': ['aggregation'],
  'Search vs Billing on retries and time-outs': ['comparison'],
  'accepted PEPs on packaging for 3.12': ['aggregation'],
  'enhancements owned by sig-node': ['aggregation'],
  'open incidents since March': ['aggregation'],
  'Hello, could you list everything that the org decided about hiring?': ['aggregation', 'layers'],
};

const simple = [
  'retry policies of Billing',
  'Packaging tools agreed in 2024 on a common format for their lock files and how they read them.',
  'what is the login endpoint',
  'What database does the API team use?',
  'Show me recent authentication decisions',
  'How do I report a vulnerability?',
  'Which PostgreSQL version will staging have?',
  'What causes the outage of the billing service?',
  'When was "Immutable label selectors for all namespaces" proposed?',
  'What problem does "Compare and swap across all teams" solve?',
  'Many projects have recently switched to another parser, such as pip, build, pytest, mypy and black.',
  'As an operator I want to see the state of all nodes, so that I can tell which of the teams to call.',
];

describe('the complexity of a question', () => {
  it('has the weights of decision D2, which add up to one', () => {
    expect(signalWeights).toEqual({ layers: 0.3, aggregation: 0.25, comparison: 0.25, structure: 0.2 });
  });

  it.each(Object.entries(complex))('[B1] is at or above the threshold: %s', (question, speaking) => {
    const { score, signals } = complexityOf(question);
    expect(score, JSON.stringify(signals)).toBeGreaterThanOrEqual(threshold);
    for (const name of speaking) expect(signals[name], name).toBeGreaterThan(0);
  });

  it.each(simple)('[B1] is below the threshold: %s', (question) => {
    const { score, signals } = complexityOf(question);
    expect(score, JSON.stringify(signals)).toBeLessThan(threshold);
  });

  it('[B1] can be explained: the score is the weighted sum of the signals', () => {
    const { score, signals } = complexityOf('Compare how Search and Billing approach retries');
    expect(signals).toMatchObject({ layers: 0, aggregation: 0, comparison: 1 });
    expect(score).toBeCloseTo(0.25 + 0.2 * signals.structure, 6);
  });

  it('reports the kinds of places of which several are meant', () => {
    expect(complexityOf('incidents across all teams and departments').spread).toEqual(['org', 'team']);
    expect(complexityOf('What database does the API team use?').spread).toEqual([]);
  });
});
