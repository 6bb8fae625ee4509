import { describe, expect, it } from 'vitest';
import { scorerOfModels } from '../../src/domain/ranking/score-models.ts';
import { scorerOf, type CandidateSignals } from '../../src/domain/ranking/score.ts';
import { defaultSpace, type SpaceConfig } from '../../src/domain/spaces/space-config.ts';
import { commonLanguageModel, namedModels } from '../../src/domain/spaces/space-models.ts';
import { noSpaces, type Spaces } from '../../src/domain/spaces/spaces.ts';

function spacesWith(configs: Readonly<Record<string, Partial<SpaceConfig>>>): Spaces {
  const configured = new Map(
    Object.entries(configs).map(([id, config]) => [
      id,
      { id, config: { ...defaultSpace, ...config }, revision: 0, updatedAt: '2030-01-01T00:00:00Z' },
    ]),
  );
  return { ...noSpaces, configured };
}

describe('[H4] the models of spaces', () => {
  const spaces = spacesWith({
    a: { embeddingModel: 'm', llmModel: 'large' },
    b: { embeddingModel: 'n', llmModel: 'small' },
    c: {},
  });

  it('are those of all spaces, or of the labels that a search names', () => {
    expect(namedModels(spaces).map(({ model }) => model)).toEqual(['m', 'n']);
    expect(namedModels(spaces, ['b', 'c', 'unknown', 'b'])).toEqual([{ space: 'b', model: 'n' }]);
    expect(namedModels(noSpaces)).toEqual([]);
  });

  it('write what is made of one space alone', () => {
    expect(commonLanguageModel(spaces, [['a'], ['a', 'c']])).toBe('large');
    expect(commonLanguageModel(spaces, [['a'], ['b']])).toBeUndefined();
    expect(commonLanguageModel(spaces, [['a'], []])).toBeUndefined();
    // Two of its spaces name a model: neither is the one.
    expect(commonLanguageModel(spaces, [['a', 'b']])).toBeUndefined();
    expect(commonLanguageModel(spaces, [])).toBeUndefined();
  });
});

describe('[H4] the relevance of a memory with vectors of several models', () => {
  const query = { terms: [], statistics: { documents: 10, documentFrequency: new Map() } };
  const [usual, other] = ['bge-small-en-v1.5', 'multilingual-e5-small'];
  const ranked = { ...query, model: usual };
  const scorer = scorerOfModels(ranked, new Map([[other, undefined]]));
  const byOther = scorerOf({ ...ranked, model: other });
  const words: CandidateSignals = { length: 8, termFrequencies: new Map() };

  it('is that of the models of its spaces, each on its own scale, and the best of several', () => {
    const cosines = [{ model: other, cosine: 0.9 }];
    expect(scorer.score({ ...words, cosine: 0.2, cosines })).toBe(byOther.score({ ...words, cosine: 0.9 }));
    // The model of the server does not count where a space has its own.
    expect(scorer.score({ ...words, cosine: 0.99, cosines })).toBe(byOther.score({ ...words, cosine: 0.9 }));
    expect(scorer.score({ ...words, cosine: 0.6 })).toBe(scorerOf(ranked).score({ ...words, cosine: 0.6 }));
    const both = scorerOfModels(
      ranked,
      new Map([
        ['x', undefined],
        [other, undefined],
      ]),
    );
    const several = [{ model: 'x', cosine: 0.1 }, ...cosines];
    expect(both.score({ ...words, cosines: several })).toBe(byOther.score({ ...words, cosine: 0.9 }));
  });

  it('of a long text also counts its passages, which have vectors of the usual model alone', () => {
    const passages = { count: 4, cosine: 0.95 };
    const long = { ...words, cosine: 0.5, passages, cosines: [{ model: other, cosine: 0.1 }] };
    expect(scorer.score(long)).toBe(scorerOf(ranked).score({ ...words, cosine: 0.5, passages }));
  });
});
