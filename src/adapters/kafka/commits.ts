import type { TopicPartition } from '../../ports/transport.ts';

/** Where the group goes on in a partition. */
export interface NextOffset extends TopicPartition {
  readonly offset: string;
}

/** As the package takes them. */
export interface CommitRequest {
  readonly topics: { topic: string; partitions: { partition: number; offset: string }[] }[];
}

/** Gathers what is done while a request is under way: many partitions that move often are few requests. */
export class Commits {
  readonly #waiting = new Map<string, NextOffset>();
  #underWay: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** Resolves when it was written; a partition that `holds` denies by then was lost and is left out. */
  commit(
    next: NextOffset,
    holds: (place: TopicPartition) => boolean,
    send: (request: CommitRequest) => Promise<void>,
  ): Promise<void> {
    this.#waiting.set(`${next.topic}/${next.partition}`, next);
    this.#next ??= this.#underWay.then(() => {
      const offsets = [...this.#waiting.values()].filter(holds);
      this.#waiting.clear();
      this.#next = undefined;
      const sent = offsets.length > 0 ? send(requestOf(offsets)) : Promise.resolve();
      this.#underWay = sent.catch(() => undefined);
      return sent;
    });
    return this.#next;
  }
}

function requestOf(offsets: readonly NextOffset[]): CommitRequest {
  const topics = new Map<string, { partition: number; offset: string }[]>();
  for (const { topic, partition, offset } of offsets)
    topics.set(topic, [...(topics.get(topic) ?? []), { partition, offset }]);
  return { topics: [...topics].map(([topic, partitions]) => ({ topic, partitions })) };
}
