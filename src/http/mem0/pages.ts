import { z } from 'zod';
import { parseInput } from '../../domain/input/parse-input.ts';

const defaultSize = 100;
const maxPageSize = 500;
/**
 * A page says how many entries there are in all. They are counted exactly up to this many, because counting more would read them all.
 */
const maxCounted = 10_000;

const positive = z.coerce.number().pipe(z.int().min(1)).optional();
const query = z.looseObject({ page: positive, page_size: positive });

export interface PageQuery {
  readonly page: number;
  readonly size: number;
}

/** Reads the page that a query asks for. A page larger than the maximum is cut; `next` leads to the rest. */
export function pageQuery(sent: unknown): PageQuery {
  const { page = 1, page_size: size = defaultSize } = parseInput(query, sent);
  return { page, size: Math.min(size, maxPageSize) };
}

export interface Page<Item> {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly Item[];
}

/** One page of all items. Reads as far as the page goes, and on to count them. */
export async function pageOf<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  { page, size }: PageQuery,
  url: string,
): Promise<Page<Item>> {
  const start = (page - 1) * size;
  const results: Item[] = [];
  let count = 0;
  for await (const item of items) {
    if (count >= start && count < start + size) results.push(item);
    count++;
    if (count > start + size && count >= maxCounted) break;
  }
  const link = (to: number) => `${url}?page=${to}&page_size=${size}`;
  return {
    count,
    next: count > start + size ? link(page + 1) : null,
    previous: page > 1 ? link(page - 1) : null,
    results,
  };
}
