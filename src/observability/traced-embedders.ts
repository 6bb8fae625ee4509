import { SpanKind } from '@opentelemetry/api';
import type { Embedder, Embedders } from '../ports/embedder.ts';
import { inPartialSpan } from '../support/tracing.ts';

/** Embedding models with a span for each call, after the conventions for generative AI: the model and how many texts, not the texts. */
export function tracedEmbedders(embedders: Embedders): Embedders {
  const traced = new WeakMap<Embedder, Embedder>();
  return {
    get preferred() {
      return embedders.preferred;
    },
    get models() {
      return embedders.models;
    },
    find: (idOrName) => embedders.find(idOrName),
    of(id) {
      const embedder = embedders.of(id);
      if (!embedder) return undefined;
      const known = traced.get(embedder) ?? tracedEmbedder(embedder, embedders.find(id)?.name ?? id);
      traced.set(embedder, known);
      return known;
    },
    load: (id) => embedders.load(id),
    probe: (id) => embedders.probe(id),
    failure: (id) => embedders.failure(id),
    keepOnly: (ids) => embedders.keepOnly(ids),
    close: () => embedders.close(),
  };
}

function tracedEmbedder(embedder: Embedder, name: string): Embedder {
  return {
    model: embedder.model,
    embed: (texts, purpose, ...rest) => {
      const attributes = {
        'gen_ai.operation.name': 'embeddings',
        'gen_ai.request.model': name,
        'stratalog.embedding.purpose': purpose,
        'stratalog.embedding.texts': texts.length,
      };
      const what = { name: `embeddings ${name}`, kind: SpanKind.CLIENT, attributes };
      return inPartialSpan(what, () => embedder.embed(texts, purpose, ...rest));
    },
    ...(embedder.forgetQuestions && { forgetQuestions: () => embedder.forgetQuestions!() }),
    close: () => embedder.close(),
  };
}
