import type { RecordedEvent } from '../../ports/event-log.ts';
import { maxPageSize, recordedSize } from '../../support/recorded-size.ts';
import type { WakeUp } from '../../support/wake-up.ts';

/** The events after a position, and how far the log was read for them. */
export interface TailPage {
  readonly events: RecordedEvent[];
  readonly scannedTo: number;
  /** Whether there may be more events after this page. */
  readonly isFull: boolean;
  /** Number of wake-ups whose events the page has: its reader sleeps until the next one. If absent, those before the read. */
  readonly seen?: number;
}

/** What is read of the log in one statement: events of these types, or all, after a position. */
export type ReadOn = (after: number, types: readonly string[] | undefined) => Promise<TailPage>;

/** A subscription: it only wants events of these types, or all. */
interface Reader {
  readonly types: ReadonlySet<string> | undefined;
}

/** How many of the newest events are kept, for readers that pause between two reads, and in how many characters. */
const maxEvents = 1_000;
const maxSize = 4 * 1024 * 1024;

/**
 * The newest events of the log as they are recorded, with sealed contents. The subscriptions of a process follow it together: each
 * append wakes all of them, and one statement reads for all what each would read for itself.
 */
export class LogTail {
  readonly #readOn: ReadOn;
  readonly #wakeUp: WakeUp;
  readonly #freshMs: number;
  readonly #readers = new Set<Reader>();
  /** All events in (#start, #end] that a reader wants. */
  #events: RecordedEvent[] = [];
  #size = 0;
  #start = Infinity;
  /** -1 until a reader has reached the end of the log. */
  #end = -1;
  /** How often the kept events were dropped: a read that began before is not added. */
  #cleared = 0;
  /** When the last read began that reached the end of the log, and the wake-ups until then. */
  #current = { count: -1, at: -Infinity };
  #reading: { readonly count: number; readonly isAdded: Promise<boolean> } | undefined;

  /** `freshMs` is how long nothing new is looked for without a wake-up. */
  constructor(readOn: ReadOn, wakeUp: WakeUp, freshMs: number) {
    this.#readOn = readOn;
    this.#wakeUp = wakeUp;
    this.#freshMs = freshMs;
  }

  /** Adds a reader. Call `leave` with the result when it ends. */
  join(types: readonly string[] | undefined): Reader {
    const wanted = this.#wanted();
    const reader = { types: types && new Set(types) };
    this.#readers.add(reader);
    // Events that only this reader wants were left out until now.
    if (this.#end >= 0 && wanted && !types?.every((type) => wanted.has(type))) this.#clear(this.#end);
    return reader;
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader);
  }

  /** A reader has reached the end of the log here, by itself. */
  reached(position: number): void {
    if (this.#end < 0) this.#clear(position);
  }

  /** At most `limit` events after a position. Undefined if some of them may not be kept any more: then the reader reads for itself. */
  async page(reader: Reader, after: number, limit: number): Promise<TailPage | undefined> {
    if (after < this.#start) return undefined;
    if (this.#end <= after && !this.#isCurrent) await this.#read();
    if (this.#end < after) this.#clear(after);
    return after < this.#start ? undefined : this.#select(reader, after, limit);
  }

  get #isCurrent(): boolean {
    const { count, at } = this.#current;
    return count === this.#wakeUp.count && performance.now() < at + this.#freshMs;
  }

  /** Reads on from the end. Joins a read that sees everything that has woken the caller. */
  async #read(): Promise<void> {
    const { count } = this.#wakeUp;
    for (;;) {
      this.#reading ??= {
        count: this.#wakeUp.count,
        isAdded: this.#append().finally(() => (this.#reading = undefined)),
      };
      const reading = this.#reading;
      if ((await reading.isAdded) && reading.count >= count) return;
    }
  }

  /** Resolves with whether what was read was added, because nothing was dropped meanwhile. */
  async #append(): Promise<boolean> {
    const [cleared, count, at] = [this.#cleared, this.#wakeUp.count, performance.now()];
    const wanted = this.#wanted();
    const { events, scannedTo, isFull } = await this.#readOn(this.#end, wanted && [...wanted]);
    if (cleared !== this.#cleared) return false;
    this.#dropOldest();
    for (const event of events) this.#size += recordedSize(event);
    this.#events.push(...events);
    this.#end = scannedTo;
    if (!isFull) this.#current = { count, at };
    return true;
  }

  /** Makes room before a page is added, which is kept as a whole. */
  #dropOldest(): void {
    let dropped = 0;
    while (this.#events.length - dropped > maxEvents || this.#size > maxSize) {
      const oldest = this.#events[dropped++]!;
      this.#size -= recordedSize(oldest);
      this.#start = oldest.position;
    }
    this.#events.splice(0, dropped);
  }

  #select({ types }: Reader, after: number, limit: number): TailPage {
    const events: RecordedEvent[] = [];
    let size = 0;
    for (const event of this.#events) {
      if (event.position <= after || (types && !types.has(event.type))) continue;
      events.push(event);
      size += recordedSize(event);
      if (events.length === limit || size >= maxPageSize)
        return { events, scannedTo: event.position, isFull: true };
    }
    // There may have been appends since these events were read for another reader.
    return { events, scannedTo: Math.max(after, this.#end), isFull: false, seen: this.#current.count };
  }

  #clear(position: number): void {
    this.#cleared++;
    this.#events = [];
    this.#size = 0;
    this.#start = position;
    this.#end = position;
  }

  /** The types that any reader wants; undefined for all. */
  #wanted(): ReadonlySet<string> | undefined {
    const wanted = new Set<string>();
    for (const { types } of this.#readers) {
      if (!types) return undefined;
      for (const type of types) wanted.add(type);
    }
    return wanted;
  }
}
