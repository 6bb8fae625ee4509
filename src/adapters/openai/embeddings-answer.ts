import { estimateTokens } from '../../domain/text/estimate-tokens.ts';
import { WrongDimension } from '../../ports/embedder.ts';
import { unitVector } from '../embedding/vector.ts';
import { BrokenAnswer } from './retries.ts';

/** The unit vectors of an answer in the order of the texts; endpoints may return them in another order. */
export function vectorsOf(answer: unknown, count: number, dimension: number | undefined): Float32Array[] {
  const data = isRecord(answer) ? answer['data'] : undefined;
  if (!Array.isArray(data)) throw new BrokenAnswer('no list of embeddings');
  if (data.length !== count) throw new BrokenAnswer(`${data.length} embeddings for ${count} texts`);
  const vectors = new Map<unknown, Float32Array>();
  for (const [place, item] of (data as unknown[]).entries()) {
    if (!isRecord(item)) throw new BrokenAnswer('an embedding is not an object');
    vectors.set(item['index'] ?? place, vectorOf(item['embedding'], dimension));
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.get(index);
    if (vector === undefined) throw new BrokenAnswer(`no embedding with index ${index}`);
    return vector;
  });
}

/** Tokens as counted by the endpoint, or an estimate if it does not count them. */
export function tokensOf(answer: unknown, texts: readonly string[]): number {
  const usage = isRecord(answer) ? answer['usage'] : undefined;
  const counted = isRecord(usage) ? usage['prompt_tokens'] : undefined;
  if (typeof counted === 'number' && counted >= 0) return counted;
  return texts.reduce((sum, text) => sum + estimateTokens(text.length), 0);
}

function vectorOf(embedding: unknown, dimension: number | undefined): Float32Array {
  if (!Array.isArray(embedding) || !embedding.every((value) => typeof value === 'number')) {
    throw new BrokenAnswer('an embedding is not a list of numbers');
  }
  if (dimension !== undefined && embedding.length !== dimension) {
    throw new WrongDimension(`answers ${embedding.length} dimensions instead of ${dimension}`);
  }
  try {
    return unitVector(embedding);
  } catch (error) {
    throw new BrokenAnswer('an embedding without a direction', { cause: error });
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
