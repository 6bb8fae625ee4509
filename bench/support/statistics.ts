/** Percentile by nearest rank: the value below which the share `p` (0..1) of `values` lies. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

/** Resolves with the result of `work` and the milliseconds that it took. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const start = performance.now();
  const result = await work();
  return { result, ms: performance.now() - start };
}

/** Calls `work` with each of 0..count-1 and the number of its lane, `lanes` at a time, and resolves when all are done. */
export async function inLanes(
  lanes: number,
  count: number,
  work: (index: number, lane: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const run = async (lane: number) => {
    for (let index = next++; index < count; index = next++) await work(index, lane);
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
}
