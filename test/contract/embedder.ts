import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbedderUnavailable, type Embedder } from '../../src/ports/embedder.ts';

export interface EmbedderTraits {
  /** Whether the model embeds a query differently from a passage with the same words. */
  readonly queriesDiffer: boolean;
}

/** Contract of every embedder. `open` returns a new instance of the same model each time. */
export function embedderContract(name: string, open: () => Promise<Embedder>, traits: EmbedderTraits): void {
  describe(`embedder contract: ${name}`, () => {
    let embedder: Embedder;
    beforeAll(async () => {
      embedder = await open();
    });
    afterAll(() => embedder.close());

    const one = async (text: string, purpose: 'query' | 'passage' = 'passage', by = embedder) => {
      const [vector] = await by.embed([text], purpose);
      if (vector === undefined) throw new Error('no vector');
      return vector;
    };

    it('reports its model and dimension', () => {
      expect(embedder.model.id).not.toBe('');
      expect(embedder.model.dimension).toBeGreaterThan(0);
    });

    it('returns a unit vector of the dimension for each text', async () => {
      const vectors = await embedder.embed(['Alice moved to Lisbon.', 'The build is red.'], 'passage');
      expect(vectors).toHaveLength(2);
      for (const vector of vectors) {
        expect(vector).toBeInstanceOf(Float32Array);
        expect(vector).toHaveLength(embedder.model.dimension);
        expect(lengthOf(vector)).toBeCloseTo(1, 5);
      }
    });

    it('returns nothing for no texts', async () => {
      expect(await embedder.embed([], 'passage')).toEqual([]);
      expect(await embedder.embed([], 'query')).toEqual([]);
    });

    it('keeps the order of the texts', async () => {
      const texts = Array.from({ length: 40 }, (_, i) => `note ${i} ${'about the harbour '.repeat(i % 7)}`);
      const together = await embedder.embed(texts, 'passage');
      for (const index of [0, 1, 17, 39]) {
        expect(together[index]).toEqual(await one(texts[index] ?? ''));
      }
      expect(new Set(together.map((vector) => vector.join())).size).toBe(texts.length);
    });

    it('returns identical vectors for the same text, independent of concurrent calls', async () => {
      const text = 'The quarterly report is due on Friday.';
      const alone = await one(text);
      const crowd = Array.from({ length: 30 }, (_, i) => `${'filler '.repeat(i * 3)}${i}`);
      const [, inCrowd, again] = await Promise.all([
        embedder.embed(crowd, 'passage'),
        embedder.embed([...crowd.slice(5, 9), text], 'passage'),
        one(text),
        embedder.embed(['what is due on Friday?'], 'query'),
      ]);
      expect(inCrowd.at(-1)).toEqual(alone);
      expect(again).toEqual(alone);
    });

    it('returns identical vectors for the same text from another instance', async () => {
      const other = await open();
      try {
        expect(other.model).toEqual(embedder.model);
        for (const purpose of ['query', 'passage'] as const) {
          const text = 'Where does Alice live?';
          expect(await one(text, purpose, other)).toEqual(await one(text, purpose));
        }
      } finally {
        await other.close();
      }
    });

    it('returns a separate copy of the vector for a repeated text', async () => {
      for (const purpose of ['query', 'passage'] as const) {
        const [first, second] = await embedder.embed(['again', 'again'], purpose);
        expect(first).toEqual(second);
        first?.fill(0);
        expect(await one('again', purpose)).toEqual(second);
      }
    });

    it(`embeds a query ${traits.queriesDiffer ? 'otherwise than' : 'like'} a passage`, async () => {
      const text = 'the colour of the harbour';
      const same = (await one(text, 'query')).join() === (await one(text, 'passage')).join();
      expect(same).toBe(!traits.queriesDiffer);
    });

    it.each([
      ['an empty text', ''],
      ['white space', ' \n\t '],
      ['emoji', '👩‍👩‍👧‍👦 went to 🇵🇹 🏖️'],
      ['other scripts', '漢字かな交じり文 العربية हिन्दी Ελληνικά'],
      ['control characters', 'a\u0000b\u0007c\ufffd'],
      ['half a surrogate pair', 'a \ud83d b'],
      ['the model’s own markers', '[CLS] [SEP] [MASK] <s> </s>'],
      ['200,000 characters of words', 'all work and no play '.repeat(9_524)],
      ['200,000 characters without a space', 'x'.repeat(200_000)],
      ['200,000 characters of emoji', '🦆'.repeat(100_000)],
    ])('embeds %s', async (_, text) => {
      for (const purpose of ['passage', 'query'] as const) {
        const vector = await one(text, purpose);
        expect(lengthOf(vector)).toBeCloseTo(1, 5);
        expect(await one(text, purpose)).toEqual(vector);
      }
    });

    it('is unavailable after close, which may be called twice', async () => {
      const other = await open();
      await other.close();
      await other.close();
      await expect(other.embed(['late'], 'passage')).rejects.toBeInstanceOf(EmbedderUnavailable);
      await expect(other.embed(['late'], 'query')).rejects.toBeInstanceOf(EmbedderUnavailable);
    });

    it('settles all pending calls when it is closed', async () => {
      const other = await open();
      const calls = Array.from({ length: 20 }, (_, i) => other.embed([`in flight ${i}`], 'passage'));
      const settled = Promise.allSettled(calls);
      await other.close();
      for (const outcome of await settled) {
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(EmbedderUnavailable);
        else expect(lengthOf(outcome.value[0] ?? new Float32Array())).toBeCloseTo(1, 5);
      }
    });
  });
}

export function lengthOf(vector: Float32Array): number {
  return Math.sqrt(cosine(vector, vector));
}

/** For unit vectors. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? Number.NaN), 0);
}
