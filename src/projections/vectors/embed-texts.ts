import { groupBy } from '../../domain/group-by.ts';
import { embedEach, EmbeddingBudgetExhausted, type Embedder, type Outcome } from '../../ports/embedder.ts';

export type TextByHash = readonly [hash: string, text: string, tenant: string];

/**
 * The vectors of the texts, or why one has none, without those that the budgets of their tenants do not allow: `TextBacklog` makes them
 * later. Tenants do not wait for each other, so that a batch of many tenants keeps all workers of a model busy.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly TextByHash[],
): Promise<(readonly [hash: string, outcome: Outcome])[]> {
  const made = await Promise.all(
    [...groupBy(texts, ([, , tenant]) => tenant)].map(([tenant, own]) => embedOf(embedder, tenant, own)),
  );
  return made.flat();
}

async function embedOf(
  embedder: Embedder,
  tenant: string,
  texts: readonly TextByHash[],
): Promise<(readonly [hash: string, outcome: Outcome])[]> {
  const distinct = [...new Map(texts.map(([hash, text]) => [hash, text]))];
  try {
    const outcomes = await embedEach(
      embedder,
      distinct.map(([, text]) => text),
      'passage',
      tenant,
    );
    return distinct.map(([hash], index) => [hash, outcomes[index]!]);
  } catch (error) {
    if (error instanceof EmbeddingBudgetExhausted) return [];
    throw error;
  }
}
