import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-values.ts';
import { inOwnWords } from '../domain/input/issue-words.ts';
import { priceListSchema, type PriceList } from '../domain/ledger/prices.ts';
import known from './known-prices.json' with { type: 'json' };

/** The known prices and those in `file`, which win. Throws `ConfigError` with what is wrong. */
export function readPrices(file: string | undefined): PriceList {
  const prices = priceListSchema.parse(known);
  return file === undefined ? prices : { ...prices, ...readOwn(file) };
}

function readOwn(file: string): PriceList {
  const { data, error } = priceListSchema.safeParse(parse(file), { error: inOwnWords });
  if (data) return data;
  const [{ path: place, message } = { path: [], message: 'is not valid' }] = error.issues;
  throw new ConfigError(`STRATALOG_PRICES: ${[path.basename(file), ...place].join('.')}: ${message}`);
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(path.resolve(file), 'utf8'));
  } catch (error) {
    throw new ConfigError(`STRATALOG_PRICES: ${(error as Error).message}`);
  }
}
