import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { LogTail, type TailPage } from '../../src/adapters/sqllog/log-tail.ts';
import type { RecordedEvent } from '../../src/ports/event-log.ts';
import { WakeUp } from '../../src/support/wake-up.ts';

const types = ['A', 'B', 'C'];
const filters = [undefined, ['A'], ['B'], ['A', 'B'], ['C']];

/** A log in memory whose reads take a while, so that appends and other readers come in between. */
class MemoryLog {
  readonly wakeUp = new WakeUp();
  readonly events: RecordedEvent[] = [];
  reads = 0;

  append(type: string): void {
    this.events.push({ position: this.events.length + 1, type, data: '', metadata: '' } as RecordedEvent);
    this.wakeUp.wake();
  }

  read = async (after: number, wanted: readonly string[] | undefined, limit = 3): Promise<TailPage> => {
    this.reads++;
    const head = this.events.length;
    const found = this.events.slice(after).filter(({ type }) => wanted?.includes(type) ?? true);
    for (let turn = 0; turn < 4; turn++) await Promise.resolve();
    const events = found.slice(0, limit);
    const isFull = events.length === limit;
    return { events, scannedTo: isFull ? events.at(-1)!.position : Math.max(head, after), isFull };
  };
}

/** Reads as a subscription does. */
class Subscription {
  readonly #log: MemoryLog;
  readonly #tail: LogTail;
  readonly #filter: readonly string[] | undefined;
  readonly #reader: ReturnType<LogTail['join']>;
  readonly positions: number[] = [];
  readonly #after: number;
  position: number;

  constructor(log: MemoryLog, tail: LogTail, filter: readonly string[] | undefined, fromHead = false) {
    this.#after = fromHead ? log.events.length : 0;
    this.position = this.#after;
    this.#log = log;
    this.#tail = tail;
    this.#filter = filter;
    this.#reader = tail.join(filter);
  }

  async step(): Promise<void> {
    const before = this.#log.wakeUp.count;
    const shared = await this.#tail.page(this.#reader, this.position, 2);
    const page = shared ?? (await this.#log.read(this.position, this.#filter, 2));
    if (!shared && !page.isFull) this.#tail.reached(page.scannedTo);
    this.positions.push(...page.events.map(({ position }) => position));
    this.position = page.scannedTo;
    // It would sleep until the next append: it has everything, or wakes at once.
    if (!page.isFull && this.position < this.#log.events.length)
      expect(this.#log.wakeUp.count).toBeGreaterThan(page.seen ?? before);
  }

  end(): void {
    this.#tail.leave(this.#reader);
  }

  get expected(): number[] {
    return this.#log.events
      .filter(({ type }) => this.#filter?.includes(type) ?? true)
      .map(({ position }) => position)
      .filter((position) => position > this.#after);
  }
}

const step = fc.oneof(
  fc.record({ append: fc.constantFrom(...types) }),
  fc.record({ subscribe: fc.constantFrom(...filters), fromHead: fc.boolean() }),
  fc.record({ read: fc.array(fc.nat(4), { minLength: 1, maxLength: 3 }) }),
  fc.record({ leave: fc.nat(4) }),
  // Turns of the event loop's microtasks: a read takes several.
  fc.record({ turns: fc.nat(9) }),
);

it('gives every subscription its events once and in order, whoever joins, reads and leaves meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const log = new MemoryLog();
      const tail = new LogTail((after, wanted) => log.read(after, wanted), log.wakeUp, 60_000);
      const subscriptions: Subscription[] = [];
      const reading = new Map<Subscription, Promise<void>>();
      for (const next of steps) {
        if ('append' in next) log.append(next.append);
        else if ('subscribe' in next)
          subscriptions.push(new Subscription(log, tail, next.subscribe, next.fromHead));
        else if ('turns' in next) for (let n = 0; n < next.turns; n++) await Promise.resolve();
        else if ('leave' in next) subscriptions.splice(next.leave, 1).forEach((left) => left.end());
        else
          for (const n of next.read) {
            const subscription = subscriptions[n];
            if (!subscription) continue;
            // A subscription reads one page at a time; several subscriptions read at once.
            const before = reading.get(subscription) ?? Promise.resolve();
            reading.set(
              subscription,
              before.then(() => subscription.step()),
            );
          }
      }
      await Promise.all(reading.values());
      for (const subscription of subscriptions) {
        while (subscription.position < log.events.length) await subscription.step();
        expect(subscription.positions).toEqual(subscription.expected);
      }
    }),
    { numRuns: 2_000 },
  );
});

it('is read once for all subscriptions that an append wakes', async () => {
  const log = new MemoryLog();
  const tail = new LogTail((after, wanted) => log.read(after, wanted), log.wakeUp, 60_000);
  const subscriptions = filters.map((filter) => new Subscription(log, tail, filter));
  const all = () => Promise.all(subscriptions.map((subscription) => subscription.step()));
  await all();
  const before = log.reads;
  log.append('B');
  await all();
  await all();
  expect(log.reads).toBe(before + 1);
  expect(subscriptions.map(({ positions }) => positions.length)).toEqual([1, 0, 1, 1, 0]);
});

it('does not let one sleep who gets what was read before the last append', async () => {
  const log = new MemoryLog();
  const tail = new LogTail((after, wanted) => log.read(after, wanted), log.wakeUp, 60_000);
  const [first, second] = [new Subscription(log, tail, undefined), new Subscription(log, tail, undefined)];
  await Promise.all([first.step(), second.step()]);
  log.append('A');
  const reading = first.step();
  log.append('B');
  await reading;
  await second.step();
  expect(second.positions).toEqual([1]);
});

it('reads again for one who joins during a read and wants more than that finds', async () => {
  const log = new MemoryLog();
  const tail = new LogTail((after, wanted) => log.read(after, wanted), log.wakeUp, 60_000);
  const first = new Subscription(log, tail, ['A']);
  await first.step();
  log.append('B');
  const reading = first.step();
  const second = new Subscription(log, tail, undefined);
  await Promise.all([reading, second.step()]);
  expect([first.positions, second.positions]).toEqual([[], [1]]);
});
