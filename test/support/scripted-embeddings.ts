import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { json, scriptedEndpoint, type ScriptedEndpoint, type ScriptFor } from './scripted-endpoint.ts';

export interface EmbeddingsRequest {
  readonly model: string;
  readonly input: string[];
  readonly encoding_format: string;
}

export type Script = ScriptFor<EmbeddingsRequest>;
export type ScriptedEmbeddings = ScriptedEndpoint<EmbeddingsRequest>;

/** A scripted OpenAI-compatible `/v1/embeddings` on loopback that counts words as tokens. */
export async function scriptedEmbeddings(dimension: number): Promise<ScriptedEmbeddings> {
  const embedder = deterministicEmbedder({ dimension });
  return scriptedEndpoint<EmbeddingsRequest>('/v1/embeddings', async ({ input }, response) => {
    const vectors = await embedder.embed(input, 'passage');
    const tokens = input.flatMap((text) => text.split(/\s+/)).length;
    // Not of unit length, because some servers do not normalize vectors.
    json(response, 200, {
      data: vectors.map((v, index) => ({ index, embedding: Array.from(v, (x) => x * 3) })),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    });
  });
}
