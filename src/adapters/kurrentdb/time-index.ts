import type { RecordedEvent } from '../../ports/event-log.ts';
import type { AllReader } from './all-reader.ts';

/** Maximum number of events between two marks. */
const stride = 500;

type Mark = Pick<RecordedEvent, 'position' | 'time'>;

/**
 * Finds positions by time, which the server cannot do. It keeps a mark for every 500th event in memory (about 100 bytes each),
 * from the end of the log back to the earliest time requested so far. The first request for an early time reads the log back to it,
 * about 80,000 events a second.
 */
export class TimeIndex {
  readonly #reader: AllReader;
  /** Ascending, without a gap of more than `stride` events. */
  #marks: Mark[] = [];
  #reachesStart = false;
  /** Requests run one after another, because each may extend the marks. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(reader: AllReader) {
    this.#reader = reader;
  }

  /** Position of the last event accepted at or before `time`, 0 if none. */
  positionAt(time: Date): Promise<number> {
    const position = this.#last.then(() => this.#find(time));
    this.#last = position.catch(() => undefined);
    return position;
  }

  async #find(time: Date): Promise<number> {
    const { events } = await this.#reader.backwards(undefined, 1);
    const [head] = events;
    if (!head) return 0;
    if (head.time <= time) return head.position;
    await this.#extendTo(head);
    await this.#extendBack(time);
    const at = this.#marks.findLastIndex((mark) => mark.time <= time);
    if (at < 0) return 0;
    // A page of large events ends before the next mark.
    for (let { position } = this.#marks[at]!; ;) {
      const { events } = await this.#reader.forwards(position, stride);
      const last = events.findLast((event) => event.time <= time);
      position = last?.position ?? position;
      if (!last || last !== events.at(-1)) return position;
    }
  }

  async #extendTo(head: Mark): Promise<void> {
    if (this.#marks.length === 0) this.#marks.push(markOf(head));
    for (let last = this.#marks.at(-1)!; last.position < head.position; last = this.#marks.at(-1)!) {
      const { events } = await this.#reader.forwards(last.position, stride);
      if (events.length === 0) return;
      this.#marks.push(markOf(events.at(-1)!));
    }
  }

  async #extendBack(time: Date): Promise<void> {
    while (!this.#reachesStart && this.#marks[0]!.time > time) {
      const { events, scannedTo } = await this.#reader.backwards(this.#marks[0]!.position, stride);
      if (events.length > 0) this.#marks.unshift(markOf(events.at(-1)!));
      this.#reachesStart = scannedTo === 0;
    }
  }
}

function markOf({ position, time }: Mark): Mark {
  return { position, time };
}
