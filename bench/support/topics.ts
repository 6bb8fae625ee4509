import { randomUUID } from 'node:crypto';
import { fromRecord, type TopicRecord } from '../../src/domain/contract/cloud-event.ts';
import { topicsOf } from '../../src/domain/contract/topics.ts';
import type { Transport } from '../../src/ports/transport.ts';

/** Records of each partition under a topic prefix, read until the watermarks of all partitions reach `position`. */
export async function readTopics(
  transport: Transport,
  prefix: string,
  position: number,
): Promise<Map<string, TopicRecord[]>> {
  const topics = topicsOf(prefix);
  const partitions = new Map<string, TopicRecord[]>();
  const incomplete = new Set<string>();
  for (const { name, partitions: count } of topics)
    for (let partition = 0; partition < count; partition++) incomplete.add(`${name}/${partition}`);
  const done = new AbortController();
  await transport.consume({
    group: `bench-${randomUUID()}`,
    topics: topics.map(({ name }) => name),
    handle: async ({ topic, partition, records }) => {
      const place = `${topic}/${partition}`;
      const all = partitions.get(place) ?? [];
      partitions.set(place, all);
      for (const record of records) {
        const read = fromRecord(record);
        all.push(read);
        if (read.kind === 'watermark' && read.position >= position) incomplete.delete(place);
      }
      if (incomplete.size === 0) done.abort();
    },
    signal: done.signal,
  });
  return partitions;
}
