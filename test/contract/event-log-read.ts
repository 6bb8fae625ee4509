import { describe, expect, it } from 'vitest';
import type { LogFilter, ReadAllOptions } from '../../src/ports/event-log.ts';
import {
  freshCategory,
  freshStream,
  ids,
  revisions,
  storedEvent,
  storedEvents,
  type ContractLog,
} from '../support/log-events.ts';

/** Streams, the whole log, its head and its times. Starts with an empty log. */
export function readContract(contract: ContractLog): void {
  describe('an empty log', () => {
    it('has only its id', async () => {
      expect(contract.log.logId).toMatch(/^[0-9a-f-]{36}$/);
      expect(await contract.log.head()).toBe(0);
      expect(await contract.log.positionAt(new Date())).toBe(0);
      expect(await contract.log.readAll({ limit: 10 })).toEqual({ events: [], scannedTo: 0 });
      expect(await contract.log.readAll({ limit: 10, direction: 'backwards' })).toEqual({
        events: [],
        scannedTo: 0,
      });
      expect(await contract.log.readStream(freshStream())).toEqual([]);
    });

    it('starts at a position of at least 1', async () => {
      const { position } = await contract.log.append(freshStream(), 'noStream', [storedEvent()]);
      expect(position).toBeGreaterThanOrEqual(1);
    });
  });

  describe('a stream', () => {
    it('is read forwards and backwards, from a revision, up to a limit', async () => {
      const stream = freshStream();
      await contract.log.append(stream, 'noStream', storedEvents(5));
      const read = async (options: Parameters<typeof contract.log.readStream>[1]) =>
        revisions(await contract.log.readStream(stream, options));
      expect(await read({})).toEqual([0, 1, 2, 3, 4]);
      expect(await read({ from: 3 })).toEqual([3, 4]);
      expect(await read({ from: 1, limit: 2 })).toEqual([1, 2]);
      expect(await read({ from: 5 })).toEqual([]);
      expect(await read({ direction: 'backwards' })).toEqual([4, 3, 2, 1, 0]);
      expect(await read({ direction: 'backwards', from: 2 })).toEqual([2, 1, 0]);
      expect(await read({ direction: 'backwards', limit: 1 })).toEqual([4]);
      expect(await read({ direction: 'backwards', from: 99, limit: 2 })).toEqual([4, 3]);
      expect(await read({ limit: 0 })).toEqual([]);
    });

    it('contains only its own events', async () => {
      const category = freshCategory();
      const [one, other] = [freshStream(category), freshStream(category)];
      const events = storedEvents(2);
      await contract.log.append(one, 'noStream', events);
      await contract.log.append(other, 'noStream', storedEvents(2));
      expect(ids(await contract.log.readStream(one))).toEqual(ids(events));
    });
  });

  describe('the whole log', () => {
    /** Reads to the end by `scannedTo`, as documented. */
    const readPages = async (options: Omit<ReadAllOptions, 'after'>, after?: number): Promise<string[]> => {
      const found: string[] = [];
      let from = after;
      for (;;) {
        const page = await contract.log.readAll({ ...options, ...(from !== undefined && { after: from }) });
        found.push(...ids(page.events));
        if (page.scannedTo === from || page.scannedTo === 0) return found;
        from = page.scannedTo;
      }
    };

    const fill = async () => {
      const [one, other] = [freshCategory(), freshCategory()];
      const before = await contract.log.head();
      const events = Array.from({ length: 12 }, (_, n) => storedEvent({ type: `T${n % 3}` }));
      for (const [n, event] of events.entries())
        await contract.log.append(freshStream(n % 2 === 0 ? one : other), 'noStream', [event]);
      return { before, events, one, other };
    };

    it('is in commit order with increasing positions, in contiguous pages', async () => {
      const { before, events } = await fill();
      const all = await contract.log.readAll({ after: before, limit: 100 });
      expect(ids(all.events)).toEqual(ids(events));
      for (const [n, { position }] of all.events.entries())
        expect(position).toBeGreaterThan(n === 0 ? before : all.events[n - 1]!.position);
      expect(all.scannedTo).toBe(await contract.log.head());
      for (const limit of [1, 5, 12, 13]) expect(await readPages({ limit }, before)).toEqual(ids(events));
    });

    it('can be read backwards from its end', async () => {
      const { events } = await fill();
      const page = await contract.log.readAll({ direction: 'backwards', limit: 5 });
      expect(ids(page.events)).toEqual(ids(events).slice(-5).toReversed());
      expect(page.scannedTo).toBe(page.events.at(-1)!.position);
      const older = await contract.log.readAll({ direction: 'backwards', limit: 7, after: page.scannedTo });
      expect(ids(older.events)).toEqual(ids(events).slice(0, 7).toReversed());
    });

    it('is filtered by category, by type and by both', async () => {
      const { before, events, one, other } = await fill();
      const byIndex = (keep: (n: number) => boolean) => ids(events.filter((_, n) => keep(n)));
      const cases: [LogFilter, string[]][] = [
        [{ categories: [one] }, byIndex((n) => n % 2 === 0)],
        [{ categories: [one, other] }, byIndex(() => true)],
        [{ types: ['T1'] }, byIndex((n) => n % 3 === 1)],
        [{ types: ['T1', 'T2'], categories: [other] }, byIndex((n) => n % 3 !== 0 && n % 2 === 1)],
        [{ categories: ['nobody'] }, []],
        [{ categories: [] }, []],
      ];
      for (const [filter, expected] of cases) {
        for (const limit of [1, 3, 100]) {
          expect(await readPages({ limit, filter }, before)).toEqual(expected);
          const backwards = await readPages({ limit, filter, direction: 'backwards' });
          expect(backwards.slice(0, expected.length)).toEqual(expected.toReversed());
        }
      }
    });

    it('reports how far it was scanned, even if nothing matched', async () => {
      const { before, one } = await fill();
      const nothing = await contract.log.readAll({ after: before, limit: 5, filter: { types: ['Nothing'] } });
      expect(nothing).toEqual({ events: [], scannedTo: await contract.log.head() });
      const full = await contract.log.readAll({ after: before, limit: 2, filter: { categories: [one] } });
      expect(full.scannedTo).toBe(full.events[1]!.position);
    });

    it('returns nothing from beyond its end', async () => {
      const head = await contract.log.head();
      expect(await contract.log.readAll({ after: head, limit: 5 })).toEqual({ events: [], scannedTo: head });
      expect(await contract.log.readAll({ after: head + 7, limit: 5 })).toEqual({
        events: [],
        scannedTo: head + 7,
      });
    });
  });

  describe('times', () => {
    it('map to the last event up to then, inclusively', async () => {
      const category = freshCategory();
      for (let n = 0; n < 5; n++) {
        await contract.log.append(freshStream(category), 'noStream', storedEvents(2));
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
      const { events } = await contract.log.readAll({ limit: 10_000 });
      for (const { time } of events) {
        const last = events.findLast((event) => event.time.getTime() <= time.getTime())!;
        expect(await contract.log.positionAt(time)).toBe(last.position);
        const earlier = events.findLast((event) => event.time.getTime() < time.getTime());
        expect(await contract.log.positionAt(new Date(time.getTime() - 1))).toBe(earlier?.position ?? 0);
      }
      expect(await contract.log.positionAt(new Date(Date.now() + 3_600_000))).toBe(await contract.log.head());
      expect(await contract.log.positionAt(new Date(0))).toBe(0);
    });
  });
}
