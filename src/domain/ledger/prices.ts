import { z } from 'zod';
import { roundUsd } from './budget.ts';

const price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative().default(0),
});

/** US dollars for a million tokens, by the endpoint's name of the model. */
export const priceListSchema = z.record(z.string().min(1), price);
export type PriceList = z.infer<typeof priceListSchema>;

export interface TokenCount {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A dated or latest version of a model has the price of the model. */
const versionOf = /(?:-\d{4}-\d{2}-\d{2}|-latest|:latest)$/;

/** Dollars for these tokens, rounded up to nine decimals; `priced` is false, and the dollars are 0, for a model that is not in the list. */
export function costOf(
  prices: PriceList,
  model: string,
  { inputTokens, outputTokens }: TokenCount,
): { readonly usd: number; readonly priced: boolean } {
  const entry = priceOf(prices, model);
  if (!entry) return { usd: 0, priced: false };
  // Prices are per million tokens, so nine decimals of a dollar are thousandths of the product.
  const usd = Math.ceil((inputTokens * entry.input + outputTokens * entry.output) * 1_000 - 1e-6) / 1e9;
  return { usd: roundUsd(usd), priced: true };
}

/** Dollars for a million tokens; undefined for a model that is not in the list. */
export function priceOf(prices: PriceList, model: string): PriceList[string] | undefined {
  return entryOf(prices, model) ?? entryOf(prices, model.replace(versionOf, ''));
}

function entryOf(prices: PriceList, model: string): PriceList[string] | undefined {
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}
