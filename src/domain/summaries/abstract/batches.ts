import type { Layer } from '../../layers.ts';

/** Maximum number of tokens of memories in one call, and maximum number of scopes. */
const mostTokens = 24_000;
const mostScopes = 8;

export interface Batchable {
  readonly layer: Layer;
  /** Name of the model that writes the summaries. */
  readonly model: string;
  /** Tokens of the memories that the model is shown. */
  readonly tokens: number;
}

/** The layers whose memories belong to one person. */
const personal: readonly Layer[] = ['user', 'session', 'agent'];

/**
 * Groups the scopes of one tenant into calls, in their order: scopes with the same model, as many as fit. A scope of a single person never
 * shares a call.
 */
export function batchesOf<Item extends Batchable>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  const open = new Map<string, { readonly batch: Item[]; tokens: number }>();
  for (const item of items) {
    const last = open.get(item.model);
    if (personal.includes(item.layer)) batches.push([item]);
    else if (last && last.batch.length < mostScopes && last.tokens + item.tokens <= mostTokens) {
      last.batch.push(item);
      last.tokens += item.tokens;
    } else {
      const batch = [item];
      batches.push(batch);
      open.set(item.model, { batch, tokens: item.tokens });
    }
  }
  return batches;
}
