import { partitionOf } from '../../src/adapters/kafka/murmur2.ts';
import { toRecord, toWatermark, type ContractRecord } from '../../src/domain/contract/cloud-event.ts';
import { topicName, topicPartitions } from '../../src/domain/contract/topics.ts';
import type { EventLog } from '../../src/ports/event-log.ts';
import type { ReceivedBatch, TopicPartition } from '../../src/ports/transport.ts';
import { topicPartitioning } from '../../src/projections/topic-partitions.ts';

export const prefix = 'test';
export const partitioning = topicPartitioning({ partitionOf });

/** One partition of a topic, filled from a log like by the relay. */
export class TopicDouble {
  readonly place: TopicPartition;
  readonly records: ContractRecord[] = [];
  readonly #name: string;
  readonly #log: EventLog;

  /** `name` is the partition's name in checkpoints, such as `events/3`. */
  constructor(log: EventLog, name: string) {
    const [kind, number] = name.split('/') as ['events' | 'retrieval' | 'internal', string];
    this.place = { topic: topicName(prefix, kind), partition: Number(number) };
    this.#name = name;
    this.#log = log;
  }

  /** Writes the events of the log after `after`, then a watermark, as the relay does from its checkpoint. */
  async relay(after: number): Promise<number> {
    const { logId } = this.#log;
    const { events, scannedTo } = await this.#log.readAll({ after, limit: 10_000 });
    for (const event of events)
      if (partitioning.partitionOf(event.stream) === this.#name)
        this.records.push(toRecord(event, { logId, prefix }));
    this.records.push(toWatermark(scannedTo, logId));
    return scannedTo;
  }

  /** The records from offset `from` up to `to`, exclusive. */
  batch(from = 0, to = this.records.length): ReceivedBatch {
    const records = this.records.slice(from, to);
    return { ...this.place, records: records.map((record, n) => ({ ...record, offset: String(from + n) })) };
  }
}

/** Whether a stream belongs to a partition of the topic `events`. */
export function isIn(partition: string, stream: string): boolean {
  return partitioning.partitionOf(stream) === partition;
}

export const everyPartition = Array.from({ length: topicPartitions }, (_, n) => `events/${n}`);
