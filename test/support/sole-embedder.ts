import { ModelRegistry } from '../../src/adapters/embedding/model-registry.ts';
import type { Embedder, Embedders } from '../../src/ports/embedder.ts';

/** Embedders with a single model. */
export function soleEmbedder(embedder: Embedder): Embedders {
  const { id, dimension } = embedder.model;
  return new ModelRegistry([{ id, name: id, dimension, open: () => Promise.resolve(embedder) }], id);
}
