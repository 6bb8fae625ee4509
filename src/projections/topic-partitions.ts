import {
  kindOfStream,
  kindsOfTypes,
  topicKinds,
  topicName,
  topicPartitions,
} from '../domain/contract/topics.ts';
import type { TopicPartition, Transport } from '../ports/transport.ts';
import type { Partitioning } from '../follow/partitions.ts';

/** Maximum number of streams whose partition is cached: all generations look up the same streams at about the same time. */
const maxKnown = 10_000;

/** The partitions of the topics: `events/0`, `events/1`, … */
export function topicPartitioning(transport: Pick<Transport, 'partitionOf'>): Partitioning {
  const known = new Map<string, string>();
  return {
    partitionsOf: ({ handles }) =>
      kindsOfTypes(handles).flatMap((kind) =>
        Array.from({ length: topicPartitions }, (_, number) => `${kind}/${number}`),
      ),
    partitionOf(stream) {
      const before = known.get(stream);
      if (before !== undefined) return before;
      const partition = `${kindOfStream(stream)}/${transport.partitionOf(stream, topicPartitions)}`;
      if (known.size >= maxKnown) known.clear();
      known.set(stream, partition);
      return partition;
    },
  };
}

/** The name of a partition in checkpoints. Throws for a topic without the prefix. */
export function nameOf({ topic, partition }: TopicPartition, prefix: string): string {
  const kind = topicKinds.find((known) => topicName(prefix, known) === topic);
  if (!kind) throw new Error(`${topic} is no topic of ${prefix}`);
  return `${kind}/${partition}`;
}
