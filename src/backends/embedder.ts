import { deterministicEmbedder } from '../adapters/deterministic/embedder.ts';
import { openOnnxEmbedder } from '../adapters/onnx/embedder.ts';
import { openOpenAiEmbedder } from '../adapters/openai/embedder.ts';
import type { Config } from '../config.ts';
import type { Embedder } from '../ports/embedder.ts';

/** The embedder that is configured, loaded and ready. */
export async function openEmbedder({ embedder }: Config): Promise<Embedder> {
  switch (embedder.kind) {
    case 'onnx':
      return openOnnxEmbedder({
        model: 'bge-small-en-v1.5',
        ...(embedder.workers !== undefined && { workers: embedder.workers }),
      });
    case 'openai': {
      const { baseURL, model, apiKey } = embedder;
      return openOpenAiEmbedder({ baseURL, model, ...(apiKey !== undefined && { apiKey }) });
    }
    case 'deterministic':
      return deterministicEmbedder({ dimension: 384 });
    default:
      return embedder satisfies never;
  }
}
