import {
  kindOfStream,
  kindsOfTypes,
  topicKinds,
  topicName,
  topicPartitions,
} from '../domain/contract/topics.ts';
import type { TopicPartition, Transport } from '../ports/transport.ts';
import type { Partitioning } from './partitions.ts';

/** The log as the topics divide it: `events/0`, `events/1`, … */
export function topicPartitioning(transport: Pick<Transport, 'partitionOf'>): Partitioning {
  return {
    partitionsOf: ({ handles }) =>
      kindsOfTypes(handles).flatMap((kind) =>
        Array.from({ length: topicPartitions }, (_, number) => `${kind}/${number}`),
      ),
    partitionOf: (stream) => `${kindOfStream(stream)}/${transport.partitionOf(stream, topicPartitions)}`,
  };
}

/** The name of the partition in bookmarks. Throws for a topic that is none of those under the prefix. */
export function nameOf({ topic, partition }: TopicPartition, prefix: string): string {
  const kind = topicKinds.find((known) => topicName(prefix, known) === topic);
  if (!kind) throw new Error(`${topic} is no topic of ${prefix}`);
  return `${kind}/${partition}`;
}
