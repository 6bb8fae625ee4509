import type { Batch, Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import { abandonAfter } from '../../support/resilience/time-limit.ts';
import type {
  AssignedPartition,
  ConsumeOptions,
  ReceivedRecord,
  TopicPartition,
} from '../../ports/transport.ts';
import { Assignment } from './assignment.ts';
import { openClient, type KafkaClient } from './client.ts';
import { OffsetCommitter, type CommitRequest } from './offset-committer.ts';
import { consumption, retries, type KafkaTransportOptions } from './options.ts';
import { byTopic, partitionKey, type PartitionOffset } from './partition-offsets.ts';
import type { Topics } from './topics.ts';
import { Watchdog } from './watchdog.ts';

const attempts = 8;
const concurrentPartitions = 64;
/**
 * How long a batch's handler may delay the next fetch. A handler that takes longer delays neither the other partitions nor the
 * heartbeats: its partition is paused until it is done. A shorter one is finished before a rebalance.
 */
const handlerPatienceMs = 250;
/** Time limit for leaving the group. */
const leaveMs = 5000;
/**
 * The session counts as lost after this time without a heartbeat or a join. It is longer than the session timeout and than joining
 * takes. Needed because kafkajs forgets its member id before it rejoins: if the join then fails, it keeps reading without being a member,
 * sends no heartbeats, and all its commits are refused.
 */
const silenceMs = 15_000;
/** Time limit for leaving after the session was lost: shorter, because kafkajs has already tried to leave the group. */
const leaveWhenLostMs = 1000;

/** Running handlers of this process by partition. They may outlive the session that started them. */
export type RunningHandlers = Map<string, Promise<void>>;

/** One kafkajs consumer, from joining the group until the session is lost or the caller leaves. */
export class Session {
  readonly #options: ConsumeOptions;
  readonly #topics: Topics;
  readonly #running: RunningHandlers;
  readonly #client: KafkaClient;
  readonly #consumer: Consumer;
  readonly #commits: OffsetCommitter;
  readonly #lost: Promise<never>;
  #watchdog: Watchdog | undefined;
  #assignment: Assignment | undefined;
  #ready: Promise<void>;
  #leaving = false;

  /** `ready` resolves when no `assigned` callback of an earlier session is running any more. */
  constructor(
    transport: KafkaTransportOptions,
    options: ConsumeOptions,
    topics: Topics,
    running: RunningHandlers,
    ready: Promise<void>,
  ) {
    this.#options = options;
    this.#topics = topics;
    this.#running = running;
    this.#ready = ready;
    this.#client = openClient(transport, attempts);
    this.#consumer = this.#client.kafka.consumer({
      groupId: options.group,
      ...consumption,
      allowAutoTopicCreation: false,
      // The transport creates a new consumer instead: kafkajs does not restart after errors that it does not know.
      retry: { ...retries, retries: attempts, restartOnFailure: async () => false },
    });
    this.#commits = new OffsetCommitter({
      holds: (place) => this.#assignment?.holds(place) ?? false,
      onError: (error) => this.#assignment?.lost || options.onError?.(error),
    });
    this.#lost = this.#watch();
    this.#lost.catch(() => {});
  }

  /** Resolves when no `assigned` callback of this session is running any more. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** Resolves when the member has left because the caller aborted; rejects if the session was lost. */
  async run(): Promise<void> {
    const left = untilAborted(this.#options.signal);
    let limitMs = leaveWhenLostMs;
    try {
      await Promise.race([this.#start(), this.#lost, left.promise]);
      await Promise.race([this.#lost, left.promise]);
      await Promise.race([this.#finish(), this.#lost]);
      limitMs = leaveMs;
    } finally {
      left.forget();
      this.#watchdog?.stop();
      this.#commits.close();
      this.#leaving = true;
      this.#assignment?.end();
      await this.#client.close(this.#consumer, limitMs);
    }
  }

  async #start(): Promise<void> {
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [...this.#options.topics], fromBeginning: true });
    await this.#consumer.run({
      autoCommit: false,
      partitionsConsumedConcurrently: concurrentPartitions,
      eachBatch: (payload) => this.#take(payload),
    });
  }

  #watch(): Promise<never> {
    const { GROUP_JOIN, HEARTBEAT, REBALANCING, CRASH, STOP, DISCONNECT } = this.#consumer.events;
    this.#consumer.on(GROUP_JOIN, ({ payload }) => this.#join(payload.memberAssignment));
    let isJoining = false;
    this.#consumer.on(REBALANCING, () => {
      isJoining = true;
      this.#assignment?.end();
      // Offsets committed now spare the next holder a second delivery.
      void this.#commits.flush();
    });
    return new Promise((_, reject) => {
      const watchdog = new Watchdog(silenceMs, () =>
        reject(new Error(`the group has not answered for ${silenceMs / 1000} s`)),
      );
      this.#watchdog = watchdog;
      this.#consumer.on(GROUP_JOIN, () => {
        isJoining = false;
        watchdog.reset();
      });
      this.#consumer.on(HEARTBEAT, () => {
        // The join failed, and the broker was restarted and has no rebalance in progress: kafkajs continues as if nothing had happened.
        if (isJoining) reject(new Error('the group continued without finishing its rebalance'));
        watchdog.reset();
      });
      this.#consumer.on(CRASH, ({ payload }) => reject(payload.error));
      // Both events come before the crash event of the same cause, which has the better error.
      const ended = (): NodeJS.Timeout =>
        setTimeout(() => reject(new Error('the consumer stopped by itself')), 1000).unref();
      this.#consumer.on(STOP, ended);
      this.#consumer.on(DISCONNECT, ended);
    });
  }

  #join(memberAssignment: Record<string, number[]>): void {
    this.#assignment?.end();
    this.#commits.forget();
    if (this.#leaving) return;
    const partitions = Object.entries(memberAssignment).flatMap(([topic, numbers]) =>
      numbers.map((partition) => ({ topic, partition })),
    );
    const settled = Promise.all([this.#ready, ...this.#running.values()]).then(() => {});
    const startsAtEnd = this.#options.from === 'assignment';
    const assigned = byTopic(partitions, ({ partition }) => partition);
    // Avoids fetching records that the seek then skips.
    if (startsAtEnd) this.#consumer.pause(assigned);
    const assignment = new Assignment(this.#options, partitions, settled, async (own) =>
      startsAtEnd ? this.#seekToLast(own) : own,
    );
    this.#assignment = assignment;
    this.#ready = assignment.ready.then(() => {
      if (!assignment.lost && !this.#leaving) this.#consumer.resume(assigned);
    });
  }

  async #seekToLast(partitions: readonly TopicPartition[]): Promise<AssignedPartition[]> {
    const offsets = await this.#topics.lastOffsets(partitions);
    for (const last of offsets) this.#consumer.seek(last);
    return offsets.map(({ topic, partition, offset }) => ({ topic, partition, next: offset }));
  }

  async #take(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const assignment = this.#assignment;
    if (this.#leaving || !assignment?.holds(batch)) return;
    const key = partitionKey(batch);
    const before = this.#running.get(key);
    const commit = (request: CommitRequest): Promise<void> => payload.commitOffsetsIfNecessary(request);
    const work = Promise.resolve(before).then(() => this.#deliver(assignment, batch, commit));
    this.#running.set(key, work);
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
      if (this.#running.get(key) === work) this.#running.delete(key);
    });
    await abandonAfter(handlerPatienceMs, () => done).catch(() => undefined);
    if (isDone) return;
    const resume = payload.pause();
    // A lost partition is resumed by a later assignment, once that is ready.
    void done.then(() => assignment.lost || resume());
  }

  /** Calls the handler until it succeeds or the partition is lost. After a success it schedules the commit of its offset. */
  async #deliver(
    assignment: Assignment,
    batch: Batch,
    commit: (request: CommitRequest) => Promise<void>,
  ): Promise<void> {
    await assignment.ready;
    if (this.#leaving) return;
    const { topic, partition } = batch;
    const records = batch.messages.map(recordOf);
    const handled = await assignment.untilDone(() => this.#options.handle({ topic, partition, records }));
    if (handled) this.#commits.add(nextOffset(batch), commit);
  }

  /** Waits for running handlers, while heartbeats keep the consumer in the group. */
  async #finish(): Promise<void> {
    this.#leaving = true;
    try {
      this.#consumer.pause(this.#options.topics.map((topic) => ({ topic })));
    } catch {
      // The consumer has not started, or has stopped.
    }
    await Promise.all([this.#ready, ...this.#running.values()]);
    await this.#commits.flush();
  }
}

/** The offset at which the group continues after `batch`. */
function nextOffset(batch: Batch): PartitionOffset {
  const { topic, partition } = batch;
  return { topic, partition, offset: (BigInt(batch.lastOffset()) + 1n).toString() };
}

function recordOf({ key, value, headers, offset }: KafkaMessage): ReceivedRecord {
  const entries = Object.entries(headers ?? {}).map(([name, text]) => [name, String(text ?? '')] as const);
  return {
    key: key === null ? null : String(key),
    value: String(value ?? ''),
    headers: Object.fromEntries(entries),
    offset,
  };
}

function untilAborted(signal: AbortSignal): { promise: Promise<void>; forget(): void } {
  let forget = (): void => {};
  const promise = new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    const listener = (): void => resolve();
    signal.addEventListener('abort', listener, { once: true });
    forget = () => signal.removeEventListener('abort', listener);
  });
  return { promise, forget: () => forget() };
}
