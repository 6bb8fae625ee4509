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
import { Commits, type CommitRequest } from './commits.ts';
import { consumption, retries, type KafkaTransportOptions } from './options.ts';
import { byTopic, placeOf, type PartitionOffset } from './places.ts';
import { Pulse } from './pulse.ts';
import type { Topics } from './topics.ts';

const attempts = 8;
const concurrentPartitions = 64;
/**
 * How long the next fetch waits for what the last one brought. A handle within it is over before a rebalance; a longer
 * one does not keep the other partitions waiting, nor the heartbeats: its partition pauses until it is done.
 */
const patienceMs = 250;
const leaveMs = 5000;
/**
 * Longer than a session and than joining takes. The package forgets its member id before it joins again; where that fails
 * it reads on as nobody, sends no heartbeats, and all that it commits is refused, for ever.
 */
const silenceMs = 15_000;
/** The package has said goodbye already, as far as it could. */
const lostFarewellMs = 1000;

/** Work that goes on in this process, by partition; it may outlive the session that began it. */
export type Busy = Map<string, Promise<void>>;

/** One consumer of the package: it takes part in the group until it is lost, or the caller leaves. */
export class Session {
  readonly #options: ConsumeOptions;
  readonly #topics: Topics;
  readonly #busy: Busy;
  readonly #client: KafkaClient;
  readonly #consumer: Consumer;
  readonly #commits: Commits;
  readonly #lost: Promise<never>;
  #pulse: Pulse | undefined;
  #assignment: Assignment | undefined;
  #ready: Promise<void>;
  #leaving = false;

  /** `ready` resolves when no `assigned` of an earlier session runs. */
  constructor(
    transport: KafkaTransportOptions,
    options: ConsumeOptions,
    topics: Topics,
    busy: Busy,
    ready: Promise<void>,
  ) {
    this.#options = options;
    this.#topics = topics;
    this.#busy = busy;
    this.#ready = ready;
    this.#client = openClient(transport, attempts);
    this.#consumer = this.#client.kafka.consumer({
      groupId: options.group,
      ...consumption,
      allowAutoTopicCreation: false,
      // A new consumer is made instead: the package's own restart gives up where the error is not one it knows.
      retry: { ...retries, retries: attempts, restartOnFailure: async () => false },
    });
    this.#commits = new Commits({
      holds: (place) => this.#assignment?.holds(place) ?? false,
      onError: (error) => this.#assignment?.lost || options.onError?.(error),
    });
    this.#lost = this.#watch();
    this.#lost.catch(() => {});
  }

  /** Resolves when no `assigned` of this session runs. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** Resolves when the member has left at the caller's wish; rejects where the session was lost. */
  async run(): Promise<void> {
    const left = untilAborted(this.#options.signal);
    let farewellMs = lostFarewellMs;
    try {
      await Promise.race([this.#start(), this.#lost, left.promise]);
      await Promise.race([this.#lost, left.promise]);
      await Promise.race([this.#finish(), this.#lost]);
      farewellMs = leaveMs;
    } finally {
      left.forget();
      this.#pulse?.stop();
      this.#commits.close();
      this.#leaving = true;
      this.#assignment?.end();
      await this.#client.close(this.#consumer, farewellMs);
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
      // What can still be committed does not come again to the next holder.
      void this.#commits.flush();
    });
    return new Promise((_, reject) => {
      const pulse = new Pulse(silenceMs, () =>
        reject(new Error(`the group has not answered for ${silenceMs / 1000} s`)),
      );
      this.#pulse = pulse;
      this.#consumer.on(GROUP_JOIN, () => {
        isJoining = false;
        pulse.beat();
      });
      this.#consumer.on(HEARTBEAT, () => {
        // Its join failed, and a broker that was started again knows of no rebalance: the package goes on as if nothing had been.
        if (isJoining) reject(new Error('the group went on without a rebalance that it had begun'));
        pulse.beat();
      });
      this.#consumer.on(CRASH, ({ payload }) => reject(payload.error));
      // Both come before the crash that causes them.
      const ended = (): NodeJS.Timeout =>
        setTimeout(() => reject(new Error('the consumer ended by itself')), 1000).unref();
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
    const settled = Promise.all([this.#ready, ...this.#busy.values()]).then(() => {});
    const isFromHere = this.#options.from === 'assignment';
    const given = byTopic(partitions, ({ partition }) => partition);
    // Nothing is fetched that is passed over.
    if (isFromHere) this.#consumer.pause(given);
    const assignment = new Assignment(this.#options, partitions, settled, async (own) =>
      isFromHere ? this.#goToLast(own) : own,
    );
    this.#assignment = assignment;
    this.#ready = assignment.ready.then(() => {
      if (!assignment.lost && !this.#leaving) this.#consumer.resume(given);
    });
  }

  async #goToLast(partitions: readonly TopicPartition[]): Promise<AssignedPartition[]> {
    const offsets = await this.#topics.lastOffsets(partitions);
    for (const last of offsets) this.#consumer.seek(last);
    return offsets.map(({ topic, partition, offset }) => ({ topic, partition, next: offset }));
  }

  async #take(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const assignment = this.#assignment;
    if (this.#leaving || !assignment?.holds(batch)) return;
    const place = placeOf(batch);
    const before = this.#busy.get(place);
    const commit = (request: CommitRequest): Promise<void> => payload.commitOffsetsIfNecessary(request);
    const work = Promise.resolve(before).then(() => this.#deliver(assignment, batch, commit));
    this.#busy.set(place, work);
    let isOver = false;
    const done = work.finally(() => {
      isOver = true;
      if (this.#busy.get(place) === work) this.#busy.delete(place);
    });
    await abandonAfter(patienceMs, () => done).catch(() => undefined);
    if (isOver) return;
    const resume = payload.pause();
    // A later assignment resumes what it was given, once it is ready.
    void done.then(() => assignment.lost || resume());
  }

  /** Hands one batch over until it is taken, as long as its partition is this member's; then its offset may be committed. */
  async #deliver(
    assignment: Assignment,
    batch: Batch,
    commit: (request: CommitRequest) => Promise<void>,
  ): Promise<void> {
    await assignment.ready;
    if (this.#leaving) return;
    const { topic, partition } = batch;
    const records = batch.messages.map(recordOf);
    const taken = await assignment.insist(() => this.#options.handle({ topic, partition, records }));
    if (taken) this.#commits.add(nextOffset(batch), commit);
  }

  /** Lets the work under way end, while the consumer keeps its place in the group by its heartbeats. */
  async #finish(): Promise<void> {
    this.#leaving = true;
    try {
      this.#consumer.pause(this.#options.topics.map((topic) => ({ topic })));
    } catch {
      // It has not begun, or is over.
    }
    await Promise.all([this.#ready, ...this.#busy.values()]);
    await this.#commits.flush();
  }
}

/** The group goes on there. */
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
