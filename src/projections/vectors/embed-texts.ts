import { groupBy } from '../../domain/group-by.ts';
import { embedEach, EmbeddingBudgetExhausted, type Embedder, type Outcome } from '../../ports/embedder.ts';

/** A text with the tenant and the spaces that pay for its vector. */
export type TextByHash = readonly [hash: string, text: string, tenant: string, spaces: readonly string[]];

/**
 * The vectors of the texts, or why one has none, without those that the budgets of their tenants do not allow: `TextBacklog` makes them
 * later. Tenants and spaces do not wait for each other, so that a batch of many tenants keeps all workers of a model busy.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly TextByHash[],
): Promise<(readonly [hash: string, outcome: Outcome])[]> {
  const made = await Promise.all(
    [...groupBy(texts, ([, , tenant, spaces]) => JSON.stringify([tenant, spaces]))].map(([, own]) =>
      embedOf(embedder, own),
    ),
  );
  return made.flat();
}

async function embedOf(
  embedder: Embedder,
  texts: readonly TextByHash[],
): Promise<(readonly [hash: string, outcome: Outcome])[]> {
  const [, , tenant, spaces] = texts[0]!;
  const distinct = [...new Map(texts.map(([hash, text]) => [hash, text]))];
  try {
    const outcomes = await embedEach(
      embedder,
      distinct.map(([, text]) => text),
      'passage',
      tenant,
      spaces,
    );
    return distinct.map(([hash], index) => [hash, outcomes[index]!]);
  } catch (error) {
    if (error instanceof EmbeddingBudgetExhausted) return [];
    throw error;
  }
}
