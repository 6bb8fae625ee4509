import { describe, expect, it } from 'vitest';
import type { LogPage } from '../../src/ports/event-log.ts';
import { maxPageSize, totalSize, recordedSize } from '../../src/support/recorded-size.ts';
import { freshStream, ids, storedEvent, type ContractLog } from '../support/log-events.ts';

const count = 11;

/** Pages of large events, whose size is limited independent of the requested number of events. */
export function largeEventsContract(contract: ContractLog): void {
  describe('a log of large events', () => {
    /** Appends events of almost the maximum size; returns the previous end of the log. */
    const fill = async () => {
      const before = await contract.log.head();
      const events = Array.from({ length: count }, () =>
        storedEvent({ data: `{"text":"${'x'.repeat(900_000)}"}` }),
      );
      for (const event of events) await contract.log.append(freshStream(), 'noStream', [event]);
      return { before, events };
    };

    const expectBounded = (pages: readonly LogPage[]): void => {
      for (const { events } of pages)
        expect(totalSize(events.slice(0, -1).map((event) => ({ size: recordedSize(event) })))).toBeLessThan(
          maxPageSize,
        );
    };

    it('is read and followed in contiguous pages of limited size', async () => {
      const { before, events } = await fill();
      const first = await contract.log.readAll({ after: before, limit: 100 });
      const second = await contract.log.readAll({ after: first.scannedTo, limit: 100 });
      expect(first.scannedTo).toBe(first.events.at(-1)!.position);
      expect(second.scannedTo).toBe(await contract.log.head());
      expectBounded([first, second]);
      expect(ids([...first.events, ...second.events])).toEqual(ids(events));

      const last = await contract.log.readAll({ direction: 'backwards', limit: count });
      const after = last.scannedTo;
      const others = await contract.log.readAll({ direction: 'backwards', after, limit: count });
      expectBounded([last, others]);
      expect(ids([...last.events, ...others.events]).slice(0, count)).toEqual(ids(events).toReversed());

      // Each has a different time, and its page ends long before five hundred events.
      const written = [...first.events, ...second.events];
      for (const { time } of written) {
        const until = written.findLast((event) => event.time <= time)!;
        expect(await contract.log.positionAt(time)).toBe(until.position);
      }

      const followed: LogPage[] = [];
      const stop = new AbortController();
      const startedAt = performance.now();
      for await (const page of contract.log.subscribe({ after: before, signal: stop.signal })) {
        followed.push(page);
        if (page.scannedTo === second.scannedTo) break;
      }
      stop.abort();
      // It does not wait for another event before it continues.
      expect(performance.now() - startedAt).toBeLessThan(900);
      expectBounded(followed);
      expect(ids(followed.flatMap((page) => page.events))).toEqual(ids(events));
    });
  });
}
