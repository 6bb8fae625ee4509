import { expect } from 'vitest';
import { fromRecord, type ContractEvent, type TopicRecord } from '../../src/domain/contract/cloud-event.ts';
import { kindOfStream, topicName, topicsOf } from '../../src/domain/contract/topics.ts';
import type { EventLog, RecordedEvent } from '../../src/ports/event-log.ts';
import type { Transport } from '../../src/ports/transport.ts';
import { Member, placeOf } from './group-member.ts';
import { freshName } from './transport-records.ts';

/** Reads everything that a relay writes to the topics of a prefix, from the oldest record on. */
export class TopicReader {
  readonly #transport: Transport;
  readonly #prefix: string;
  readonly #member: Member;
  readonly #partitions = new Map<string, TopicRecord[]>();
  /** The highest watermark of each partition; -1 if it had none. */
  readonly #watermarks = new Map<string, number>();
  readonly #events: ContractEvent[] = [];
  /** Number of received records that are parsed. Each is parsed once, because waiting tests poll. */
  #records = 0;

  private constructor(transport: Transport, prefix: string) {
    this.#transport = transport;
    this.#prefix = prefix;
    const topics = topicsOf(prefix).map(({ name }) => name);
    this.#member = new Member(transport, { group: freshName('group'), topics });
    for (const { name, partitions } of topicsOf(prefix))
      for (let partition = 0; partition < partitions; partition++) {
        this.#partitions.set(placeOf({ topic: name, partition }), []);
        this.#watermarks.set(placeOf({ topic: name, partition }), -1);
      }
  }

  static async open(transport: Transport, prefix: string): Promise<TopicReader> {
    await transport.ensureTopics(topicsOf(prefix));
    return new TopicReader(transport, prefix);
  }

  /** The records of each partition, in order. */
  get partitions(): ReadonlyMap<string, readonly TopicRecord[]> {
    this.#read();
    return this.#partitions;
  }

  /** All received events, including repetitions. */
  get events(): readonly ContractEvent[] {
    this.#read();
    return this.#events;
  }

  /** Waits until the watermarks of all partitions of all topics have reached a position. */
  async reaches(position: number): Promise<void> {
    const least = (): number => {
      this.#read();
      return Math.min(...this.#watermarks.values());
    };
    await expect.poll(least, { timeout: 60_000, interval: 200 }).toBeGreaterThanOrEqual(position);
  }

  /**
   * Faults that would mislead a consumer with one checkpoint per partition that skips everything up to its checkpoint: events that
   * are missing, changed, in the wrong partition or after a gap, and watermarks that are too high.
   */
  async faults(log: EventLog): Promise<string[]> {
    const faults: string[] = [];
    const expected = this.#place(await readEverything(log));
    for (const [place, records] of this.partitions) {
      const events = expected.get(place) ?? [];
      const indexes = new Map(events.map((event, index) => [event.position, index]));
      let seen = 0;
      for (const read of records) {
        if (read.kind === 'foreign') faults.push(`${place}: ${read.reason}`);
        else if (read.logId !== log.logId) faults.push(`${place}: of the log ${read.logId}`);
        else if (read.kind === 'watermark') {
          const missing = events[seen];
          if (missing && missing.position <= read.position)
            faults.push(`${place}: the watermark ${read.position} hides ${missing.position}`);
        } else {
          const position = read.kind === 'event' ? read.event.position : read.place.position;
          const index = indexes.get(position);
          if (index === undefined) faults.push(`${place}: ${position} does not belong here`);
          else if (index > seen) faults.push(`${place}: a gap before ${position}`);
          else if (read.kind === 'event' && !isSame(read.event, events[index]!))
            faults.push(`${place}: ${position} was changed`);
          else seen = Math.max(seen, index + 1);
        }
      }
      if (seen < events.length) faults.push(`${place}: ends after ${seen} of ${events.length}`);
    }
    return faults;
  }

  async leave(): Promise<void> {
    await this.#member.leave();
  }

  #read(): void {
    for (; this.#records < this.#member.received.length; this.#records++) {
      const record = this.#member.received[this.#records]!;
      const place = placeOf(record);
      const read = fromRecord(record);
      this.#partitions.get(place)!.push(read);
      if (read.kind === 'event') this.#events.push(read.event);
      if (read.kind === 'watermark')
        this.#watermarks.set(place, Math.max(this.#watermarks.get(place)!, read.position));
    }
  }

  #place(events: readonly RecordedEvent[]): Map<string, RecordedEvent[]> {
    const places = new Map<string, RecordedEvent[]>();
    for (const event of events) {
      const topic = topicName(this.#prefix, kindOfStream(event.stream));
      const partition = this.#transport.partitionOf(event.stream, 12);
      const place = placeOf({ topic, partition });
      const own = places.get(place) ?? [];
      places.set(place, own);
      own.push(event);
    }
    return places;
  }
}

export async function readEverything(log: EventLog): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let after = 0; ;) {
    const page = await log.readAll({ after, limit: 1_000 });
    events.push(...page.events);
    if (page.scannedTo === after || page.events.length === 0) return events;
    after = page.scannedTo;
  }
}

function isSame(one: ContractEvent, two: RecordedEvent): boolean {
  return (Object.keys(two) as (keyof RecordedEvent)[]).every((name) =>
    name === 'time' ? one.time.getTime() === two.time.getTime() : one[name] === two[name],
  );
}
