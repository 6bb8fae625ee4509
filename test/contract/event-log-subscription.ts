import { describe, expect, it } from 'vitest';
import type { LogPage, SubscribeOptions } from '../../src/ports/event-log.ts';
import { freshCategory, freshStream, ids, storedEvents, type ContractLog } from '../support/log-events.ts';

/** Reads a subscription one page at a time. */
class Reader {
  readonly #stop = new AbortController();
  readonly #pages: AsyncIterator<LogPage>;

  constructor(contract: ContractLog, options: Omit<SubscribeOptions, 'signal'>) {
    const { signal } = this.#stop;
    this.#pages = contract.log.subscribe({ ...options, signal })[Symbol.asyncIterator]();
  }

  async next(): Promise<LogPage | undefined> {
    const { value, done } = await this.#pages.next();
    return done ? undefined : value;
  }

  /** Reads until `count` events have arrived. */
  async take(count: number): Promise<LogPage['events']> {
    const events: LogPage['events'] = [];
    while (events.length < count) events.push(...(await this.next())!.events);
    return events;
  }

  abort(): void {
    this.#stop.abort();
  }
}

/** Catching up, live events, and the end of a subscription. */
export function subscriptionContract(contract: ContractLog): void {
  describe('a subscription', () => {
    it('catches up from a position, exclusively, then delivers live events', async () => {
      const stream = freshStream();
      const events = storedEvents(30);
      await contract.log.append(stream, 'noStream', events.slice(0, 4));
      const [, processed] = await contract.log.readStream(stream);
      await contract.log.append(stream, 3, events.slice(4, 20));
      const reader = new Reader(contract, { after: processed!.position, batchSize: 5 });
      expect(ids(await reader.take(18))).toEqual(ids(events).slice(2, 20));
      const waiting = reader.take(10);
      await contract.log.append(stream, 19, events.slice(20));
      expect(ids(await waiting)).toEqual(ids(events).slice(20));
      reader.abort();
    });

    it('delivers contiguous pages of its size, and advances `scannedTo` past events that do not match', async () => {
      const category = freshCategory();
      const after = await contract.log.head();
      await contract.log.append(freshStream(category), 'noStream', storedEvents(3, { type: 'Wanted' }));
      const others = storedEvents(7, { type: 'Other' });
      const { position: end } = await contract.log.append(freshStream(category), 'noStream', others);
      const filter = { categories: [category], types: ['Wanted'] };
      const reader = new Reader(contract, { after, filter, batchSize: 2 });
      const pages: LogPage[] = [];
      let scannedTo = after;
      while (scannedTo < end) {
        const page = (await reader.next())!;
        expect(page.events.length).toBeLessThanOrEqual(2);
        expect(page.scannedTo).toBeGreaterThan(scannedTo);
        for (const { position } of page.events) {
          expect(position).toBeGreaterThan(scannedTo);
          expect(position).toBeLessThanOrEqual(page.scannedTo);
        }
        scannedTo = page.scannedTo;
        pages.push(page);
      }
      expect(pages.flatMap(({ events }) => events)).toHaveLength(3);
      const waiting = reader.take(1);
      await contract.log.append(freshStream(category), 'noStream', storedEvents(1, { type: 'Wanted' }));
      expect(await waiting).toHaveLength(1);
      reader.abort();
    });

    it('ends when its signal aborts: before it starts, between pages and while it waits', async () => {
      const after = await contract.log.head();
      const unused = new Reader(contract, { after: 0 });
      unused.abort();
      expect(await unused.next()).toBeUndefined();
      const waiting = new Reader(contract, { after });
      const next = waiting.next();
      waiting.abort();
      expect(await next).toBeUndefined();
      await contract.log.append(freshStream(), 'noStream', storedEvents(4));
      const between = new Reader(contract, { after, batchSize: 1 });
      expect((await between.next())!.events).toHaveLength(1);
      between.abort();
      expect(await between.next()).toBeUndefined();
    });

    it('is independent of others: several readers see the same events at their own pace', async () => {
      const after = await contract.log.head();
      const readers = Array.from({ length: 4 }, (_, n) => new Reader(contract, { after, batchSize: n + 1 }));
      const waiting = readers.map((reader) => reader.take(6));
      const events = storedEvents(6);
      for (const event of events) await contract.log.append(freshStream(), 'noStream', [event]);
      for (const seen of await Promise.all(waiting)) expect(ids(seen)).toEqual(ids(events));
      for (const reader of readers) reader.abort();
    });

    it('may start beyond the end of the log and waits there', async () => {
      const after = (await contract.log.head()) + 2;
      const reader = new Reader(contract, { after });
      const waiting = reader.take(1);
      const beyond: string[] = [];
      for (const event of storedEvents(3)) {
        const { position } = await contract.log.append(freshStream(), 'noStream', [event]);
        if (position > after) beyond.push(event.id);
      }
      expect(ids(await waiting)).toEqual(beyond.slice(0, 1));
      reader.abort();
    });
  });
}
