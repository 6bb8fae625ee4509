import { describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { cosine, embedderContract } from './embedder.ts';

embedderContract('deterministic', () => Promise.resolve(deterministicEmbedder({ dimension: 384 })), {
  queriesDiffer: false,
});

describe('deterministic embedder', () => {
  it('places texts with common words closer together', async () => {
    const embedder = deterministicEmbedder({ dimension: 384 });
    const [text, near, far] = await embedder.embed(
      [
        'Alice moved her boat to Lisbon',
        'the boat of Alice is in Lisbon',
        'quarterly revenue grew by nine percent',
      ],
      'passage',
    );
    if (!text || !near || !far) throw new Error('no vectors');
    expect(cosine(text, near)).toBeGreaterThan(cosine(text, far) + 0.2);
    expect(cosine(text, far)).toBeGreaterThan(0);
  });

  it('rejects a dimension that is too small to distinguish words', () => {
    expect(() => deterministicEmbedder({ dimension: 4 })).toThrow(RangeError);
  });
});
