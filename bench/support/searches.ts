import type { HttpClient, Json } from './http.ts';
import type { Report } from './report.ts';
import type { Variant } from './variants.ts';

export const topK = 10;
/** A real question may be complex, and is not to be taken apart here. */
export const standard = { mode: 'standard' };

/**
 * The milliseconds of each query, asked one after another, after each was asked once before. Checks that each has as
 * many results as expected, all of them allowed.
 */
export async function timeSearches(
  client: HttpClient,
  queries: readonly string[],
  { name, narrowing, allows }: Variant,
  expected: number,
  label: string,
  report: Report,
): Promise<number[]> {
  const times: number[] = [];
  let full = 0;
  let allowed = true;
  for (const round of ['first', 'measured']) {
    for (const query of queries) {
      const start = performance.now();
      const { results } = await client.expect(200, 'POST', '/v1/search', {
        query,
        topK,
        threshold: 0,
        ...standard,
        ...narrowing,
      });
      if (round === 'first') continue;
      times.push(performance.now() - start);
      const found = results as { memory: Json }[];
      if (found.length === expected) full++;
      allowed &&= found.every(({ memory }) => allows(memory));
    }
  }
  report.check(`${label}, ${name}: every result is one that the request allows`, allowed);
  report.check(
    `${label}, ${name}: ${expected} results each`,
    full === queries.length,
    `${full} of ${queries.length}`,
  );
  return times;
}
