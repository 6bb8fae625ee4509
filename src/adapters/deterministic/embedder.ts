import { EmbedderUnavailable, type Embedder } from '../../ports/embedder.ts';
import { unitVector } from '../embedding/vector.ts';

export interface DeterministicEmbedderOptions {
  /** Numbers in a vector, at least 16. */
  readonly dimension: number;
}

/** Coordinates that a word changes: enough to make words nearly orthogonal, few enough to be fast. */
const coordinatesOfWord = 8;

/** Component in a direction common to all vectors: unrelated texts are not orthogonal with real models either. */
const common = 1;

/**
 * Vectors without a model, for load tests that measure only speed: a hashed bag of words with a sparse random projection
 * (Achlioptas 2003), so that texts with common words are near each other and an index has clusters. It has no notion of
 * meaning and must not be used where retrieval quality matters. Queries and passages are embedded in the same way.
 */
export function deterministicEmbedder({ dimension }: DeterministicEmbedderOptions): Embedder {
  if (!Number.isInteger(dimension) || dimension < 16) throw new RangeError('dimension must be at least 16');
  let closed = false;
  return {
    model: { id: `deterministic-words-${dimension}`, dimension },
    async embed(texts) {
      if (closed) throw new EmbedderUnavailable('the embedder is closed');
      return texts.map((text) => vectorOf(text, dimension));
    },
    async close() {
      closed = true;
    },
  };
}

function vectorOf(text: string, dimension: number): Float32Array {
  const sums = new Float64Array(dimension);
  // Coordinate 0 is reserved for the common direction. Words cannot cancel it, so every text has a direction.
  sums[0] = common;
  for (const [word, count] of countWords(text)) addWord(sums, word, Math.log1p(count));
  return unitVector(sums);
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function addWord(sums: Float64Array, word: string, weight: number): void {
  const share = weight / Math.sqrt(coordinatesOfWord);
  let state = fnv1a(word);
  for (let i = 0; i < coordinatesOfWord; i++) {
    state = nextRandom(state);
    const index = 1 + ((state >>> 1) % (sums.length - 1));
    sums[index] = (sums[index] ?? 0) + (state & 1 ? share : -share);
  }
}

/** 32-bit FNV-1a over UTF-16 units; never 0, from which xorshift would stay 0. */
function fnv1a(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash >>> 0 || 1;
}

/** xorshift32 (Marsaglia 2003). */
function nextRandom(state: number): number {
  let next = state;
  next ^= next << 13;
  next ^= next >>> 17;
  next ^= next << 5;
  return next >>> 0;
}
