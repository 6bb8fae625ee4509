import { partitionOf } from '../../src/adapters/kafka/murmur2.ts';
import type { LoadedPage } from '../../src/ports/event-store.ts';
import type { Generation } from '../../src/projections/generation.ts';
import type { Partitioning } from '../../src/projections/partitions.ts';
import type { TestStore } from './event-store.ts';

/** The log divided into `p/0`, `p/1`, … by the name of the stream. */
export function dividedInto(count: number): Partitioning {
  const names = Array.from({ length: count }, (_, n) => `p/${n}`);
  return { partitionsOf: () => names, partitionOf: (stream) => names[partitionOf(stream, count)]! };
}

/** Lets one partition of a generation go on by at most `limit` events of the log; false where it is at the end. */
export async function followPartition(
  { store }: TestStore,
  generation: Generation,
  partition: string,
  limit: number,
): Promise<boolean> {
  const state = await generation.bookmarkState([partition]);
  const page: LoadedPage = await store.readAll({ after: state.bookmark, limit });
  if (page.scannedTo > state.bookmark) await generation.apply(page, state);
  return page.scannedTo > state.bookmark;
}

/** Lets all partitions of a generation go to the end of the log. */
export async function followAll(test: TestStore, generation: Generation): Promise<void> {
  for (const partition of generation.partitions)
    while (await followPartition(test, generation, partition, 100));
}
