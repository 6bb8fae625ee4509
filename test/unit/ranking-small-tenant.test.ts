import { describe, expect, it } from 'vitest';
import { termCounts } from '../../src/domain/text/tokens.ts';
import { scoreCandidates } from '../support/score-candidates.ts';

const MODEL = 'bge-small-en-v1.5-int8-6c9c6101';
const PIPELINE = 'The deployment pipeline for the billing service runs every night at two in the morning.';
const RETENTION = 'Our retention policy deletes audit exports after ninety days unless legal objects.';
const ALICE = 'Alice prefers tea over coffee and never takes meetings before ten.';
const KAFKA = 'We chose Kafka because consumers need to replay events from any offset.';
const HIKING = 'User likes hiking in the Alps with her dog Bruno on weekends.';
const API = 'The API team uses PostgreSQL as its primary database.';

/**
 * Memory, query, and their cosine under bge-small-en-v1.5 (int8 ONNX, one text per run, query prefix), rounded to three
 * digits. Computed once with `embedAll` of bench/ranking.
 */
type Pair = readonly [memory: string, query: string, cosine: number];

const VERBATIM: readonly Pair[] = [
  [ALICE, ALICE, 0.95],
  [PIPELINE, PIPELINE, 0.948],
  [API, API, 0.957],
  [HIKING, HIKING, 0.94],
  [
    'def parse_config(path): return yaml.safe_load(open(path))',
    'def parse_config(path): return yaml.safe_load(open(path))',
    0.948,
  ],
  ['今天下午三点在会议室开会', '今天下午三点在会议室开会', 0.904],
  ['To be or not to be', 'To be or not to be', 0.941],
  ['meeting tomorrow', 'meeting tomorrow', 0.934],
  ['hello world', 'hello world', 0.836],
  ['ok', 'ok', 0.863],
  ['42', '42', 0.895],
  ['🎉🎉🎉', '🎉🎉🎉', 0.756],
];

const NEAR_VERBATIM: readonly Pair[] = [
  [PIPELINE, PIPELINE.replace('night', 'evening'), 0.929],
  [
    PIPELINE,
    'THE DEPLOYMENT PIPELINE, FOR THE BILLING SERVICE, RUNS EVERY NIGHT - AT TWO IN THE MORNING!!',
    0.915,
  ],
  [RETENTION, RETENTION.replace('ninety', 'thirty'), 0.854],
  [KAFKA, KAFKA.replace('Kafka', 'RabbitMQ'), 0.805],
  [HIKING, HIKING.replace('dog', 'cat'), 0.859],
  [ALICE, 'ALICE PREFERS TEA OVER COFFEE, AND NEVER TAKES MEETINGS BEFORE TEN!', 0.933],
  [API, 'API team uses PostgreSQL as primary database', 0.943],
];

const UNRELATED: readonly Pair[] = [
  [PIPELINE, 'How do I bake sourdough bread?', 0.259],
  [PIPELINE, 'Which service should I choose for my phone?', 0.402],
  [KAFKA, 'What is the capital of France?', 0.267],
  [API, 'compare error handling patterns across teams', 0.552],
  ['ok', 'ready', 0.593],
  [
    'Our quarterly planning meeting moved from Tuesday to Thursday because of the holiday.',
    'When is the next meeting?',
    0.587,
  ],
];

/** The score in a tenant whose only memory is this one. */
function alone([memory, query, cosine]: Pair, change: { cosine?: undefined; model?: string } = {}): number {
  const { counts, length } = termCounts(memory);
  const statistics = {
    documents: 1,
    documentFrequency: new Map([...counts.keys()].map((term) => [term, 1])),
  };
  const candidate = { cosine, termFrequencies: counts, length, ...change };
  const ranked = { terms: [...termCounts(query).counts.keys()], statistics, model: change.model ?? MODEL };
  return scoreCandidates(ranked, [candidate])[0] ?? Number.NaN;
}

describe('a tenant with one memory', () => {
  it.each(VERBATIM)('finds it by its own text: %s', (...pair) => {
    expect(alone(pair)).toBeGreaterThanOrEqual(0.7);
  });

  it.each(NEAR_VERBATIM)('finds it by nearly the same text: %s <- %s', (...pair) => {
    expect(alone(pair)).toBeGreaterThanOrEqual(0.7);
  });

  it.each(UNRELATED)('does not return it for an unrelated question: %s <- %s', (...pair) => {
    expect(alone(pair)).toBeLessThan(0.3);
  });

  it('answers a question with the words of the memory', () => {
    expect(alone([API, 'What database does the API team use?', 0.788])).toBeGreaterThanOrEqual(0.7);
  });

  it.each([...VERBATIM, ...NEAR_VERBATIM])('also finds it without a vector: %s <- %s', (...pair) => {
    expect(alone(pair, { cosine: undefined })).toBeGreaterThanOrEqual(0.7);
  });

  it.each(UNRELATED)('does not return it without a vector: %s <- %s', (...pair) => {
    expect(alone(pair, { cosine: undefined })).toBeLessThan(0.3);
  });

  it('does the same with an unknown model, whatever its cosines mean', () => {
    for (const [memory, query] of VERBATIM) {
      expect(alone([memory, query, 1], { model: 'acme-embed-9' })).toBeGreaterThanOrEqual(0.7);
    }
    for (const [memory, query] of UNRELATED) {
      for (const cosine of [0, 0.1, 0.8])
        expect(alone([memory, query, cosine], { model: 'acme-embed-9' })).toBeLessThan(0.3);
    }
  });
});

describe('the same words with other characters', () => {
  it('score at least .7, but less than the exact text', () => {
    const scores = ['C++', 'c++', 'C#'].map((text) => {
      const { counts, length } = termCounts(text);
      const statistics = { documents: 3, documentFrequency: new Map([['c', 3]]) };
      const candidate = { cosine: 0.8, termFrequencies: counts, length, text };
      return scoreCandidates({ text: 'C++', terms: ['c'], statistics, model: MODEL }, [candidate])[0]!;
    });
    expect(scores[1]).toBe(scores[0]);
    expect(scores[2]).toBeGreaterThanOrEqual(0.7);
    expect(scores[2]).toBeLessThan(scores[0]!);
  });
});

describe('a tenant that grows', () => {
  it('still finds a memory by its own text when every term is common', () => {
    for (const [memory, query, cosine] of VERBATIM.slice(0, 4)) {
      const { counts, length } = termCounts(memory);
      const statistics = {
        documents: 100_000,
        documentFrequency: new Map([...counts.keys()].map((term) => [term, 10_000])),
      };
      const terms = [...termCounts(query).counts.keys()];
      const [score] = scoreCandidates({ terms, statistics, model: MODEL }, [
        { cosine, termFrequencies: counts, length },
      ]);
      expect(score).toBeGreaterThanOrEqual(0.7);
    }
  });
});

describe('a sentence that a longer memory quotes', () => {
  const sentence = 'A KEP takes at least 4 kubernetes releases to move from alpha to beta to GA.';
  const page = `Contributing on SIG Node. ${'If you plan to contribute an enhancement, please read the guide of the team first. '.repeat(12)}${sentence} Plan for that.`;

  function scoreOf(query: string, memory: string): number {
    const terms = [...termCounts(query).counts.keys()];
    const { counts, length } = termCounts(memory);
    const statistics = {
      documents: 1,
      documentFrequency: new Map([...counts.keys()].map((term) => [term, 1])),
    };
    // The cosine of this sentence with a page of the demo corpus that contains it.
    const candidate = { cosine: 0.77, termFrequencies: counts, length, text: memory };
    return scoreCandidates({ text: query, terms, statistics, model: MODEL }, [candidate])[0]!;
  }

  it('scores at least .7, however long the memory is', () => {
    expect(scoreOf(sentence, page)).toBeGreaterThanOrEqual(0.7);
  });

  it('scores less with the same words in another order', () => {
    const shuffled = sentence.split(' ').sort().join(' ');
    expect(scoreOf(shuffled, page)).toBeLessThan(scoreOf(sentence, page));
  });
});
