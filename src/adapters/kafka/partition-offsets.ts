import type { TopicPartition } from '../../ports/transport.ts';

/** The offset from which a group or a member reads a partition. */
export interface PartitionOffset extends TopicPartition {
  readonly offset: string;
}

/** Map key for a partition of a topic. */
export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** Groups `of` each partition by topic, as kafkajs expects it. */
export function byTopic<Place extends TopicPartition, Own>(
  places: readonly Place[],
  of: (place: Place) => Own,
): { topic: string; partitions: Own[] }[] {
  const topics = new Map<string, Own[]>();
  for (const place of places) {
    const own = topics.get(place.topic) ?? [];
    topics.set(place.topic, own);
    own.push(of(place));
  }
  return [...topics].map(([topic, partitions]) => ({ topic, partitions }));
}
