import { Connection, jsonRequest } from './connection.ts';
import type { Json } from './http.ts';
import { adminKeyOf } from './loaded.ts';
import type { Program } from './program.ts';
import type { Report } from './report.ts';
import type { Variant } from './variants.ts';

export const topK = 10;
/** Prevents decomposition, because real questions may be complex. */
export const standard = { mode: 'standard' };

/**
 * Milliseconds of each query, one after another. As a warm-up each query first runs at least once, and there are at least
 * `warmUp` runs in total, because V8 compiles hot code only after several thousand calls. Checks that each query returns the
 * expected number of results and that all of them are allowed.
 */
export async function timeSearches(
  program: Program,
  queries: readonly string[],
  { name, restrictions, allows }: Variant,
  expected: number,
  label: string,
  report: Report,
  warmUp = 0,
): Promise<number[]> {
  const key = await adminKeyOf(program);
  const connection = await Connection.open(program.url);
  const requests = queries.map((query) =>
    jsonRequest('POST', '/v1/search', key, { query, topK, threshold: 0, ...standard, ...restrictions }),
  );
  const rounds = Math.max(1, Math.ceil(warmUp / requests.length));
  for (let round = 0; round < rounds; round++) for (const request of requests) await connection.send(request);
  const times: number[] = [];
  let full = 0;
  let allowed = true;
  for (const request of requests) {
    const start = performance.now();
    const { status, body } = await connection.send(request);
    times.push(performance.now() - start);
    const { results: found = [] } = JSON.parse(body.toString('utf8')) as { results?: { memory: Json }[] };
    if (status === 200 && found.length === expected) full++;
    allowed &&= found.every(({ memory }) => allows(memory));
  }
  connection.close();
  report.check(`${label}, ${name}: every result is one that the request allows`, allowed);
  report.check(
    `${label}, ${name}: ${expected} results each`,
    full === queries.length,
    `${full} of ${queries.length}`,
  );
  return times;
}
