import { partitionOf } from '../../src/adapters/kafka/murmur2.ts';
import type { LoadedPage } from '../../src/ports/event-store.ts';
import type { Generation } from '../../src/projections/generation.ts';
import type { Partitioning } from '../../src/follow/partitions.ts';
import type { TestStore } from './event-store.ts';

/** Divides the log into partitions `p/0`, `p/1`, … by stream name. */
export function dividedInto(count: number): Partitioning {
  const names = Array.from({ length: count }, (_, n) => `p/${n}`);
  return { partitionsOf: () => names, partitionOf: (stream) => names[partitionOf(stream, count)]! };
}

/** Advances one partition of a generation by at most `limit` events of the log. Returns false at the end of the log. */
export async function followPartition(
  { store }: TestStore,
  generation: Generation,
  partition: string,
  limit: number,
): Promise<boolean> {
  const state = await generation.checkpoint([partition]);
  const page: LoadedPage = await store.readAll({ after: state.position, limit });
  if (page.scannedTo > state.position) await generation.apply(page, state);
  return page.scannedTo > state.position;
}

/** Advances all partitions of a generation to the end of the log. */
export async function followAll(test: TestStore, generation: Generation): Promise<void> {
  for (const partition of generation.partitions)
    while (await followPartition(test, generation, partition, 100));
}
