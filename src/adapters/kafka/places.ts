import type { TopicPartition } from '../../ports/transport.ts';

/** Where a group goes on in a partition, or a member begins. */
export interface PartitionOffset extends TopicPartition {
  readonly offset: string;
}

/** Names a partition among those of all topics. */
export function placeOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** What the package takes by topic: `of` each place, gathered under its topic. */
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
