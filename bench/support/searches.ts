import { Connection, jsonRequest } from './connection.ts';
import type { Json } from './http.ts';
import { adminKeyOf } from './loaded.ts';
import type { Program } from './program.ts';
import type { Report } from './report.ts';
import type { Variant } from './variants.ts';

export const topK = 10;
/** A real question may be complex, and is not to be taken apart here. */
export const standard = { mode: 'standard' };

/**
 * The milliseconds of each query, asked one after another. Each was asked before, and all together `warmUp` times at least:
 * V8 compiles what is hot only after some thousand calls. Checks that each has as many results as expected, all of them
 * allowed.
 */
export async function timeSearches(
  program: Program,
  queries: readonly string[],
  { name, narrowing, allows }: Variant,
  expected: number,
  label: string,
  report: Report,
  warmUp = 0,
): Promise<number[]> {
  const key = await adminKeyOf(program);
  const connection = await Connection.open(program.url);
  const requests = queries.map((query) =>
    jsonRequest('POST', '/v1/search', key, { query, topK, threshold: 0, ...standard, ...narrowing }),
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
