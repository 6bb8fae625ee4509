import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshStream, storedEvent, storedEvents, type LogUnderTest } from '../support/log-events.ts';

/** Guarantees of the SQL log beyond the port: positions without gaps, and ids that are unique in the whole log. */
export function sqlEventLogContract(name: string, open: () => Promise<LogUnderTest>): void {
  describe(name, () => {
    let opened: LogUnderTest;

    beforeAll(async () => {
      opened = await open();
    });

    afterAll(() => opened?.close());

    it('numbers its events without gaps for any number of writers', async () => {
      const { log } = opened;
      const start = await log.head();
      await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          log.append(freshStream(), 'noStream', storedEvents(1 + (n % 3))),
        ),
      );
      const { events } = await log.readAll({ after: start, limit: 100 });
      expect(events.map(({ position }) => position)).toEqual(events.map((_, n) => start + 1 + n));
      expect(events).toHaveLength(24);
    });

    it('rejects an id that another stream has, and writes nothing', async () => {
      const { log } = opened;
      const [one, other] = [freshStream(), freshStream()];
      const events = storedEvents(2);
      await log.append(one, 'noStream', events);
      for (const expected of ['any', 'noStream'] as const)
        await expect(log.append(other, expected, events)).rejects.toThrow();
      expect(await log.readStream(other)).toEqual([]);
    });

    it('writes the other appends of a group in which one reuses an id of another stream', async () => {
      const { log } = opened;
      const taken = storedEvent();
      await log.append(freshStream(), 'noStream', [taken]);
      const streams = Array.from({ length: 5 }, () => freshStream());
      const outcomes = await Promise.allSettled(
        streams.map((stream, index) =>
          log.append(stream, 'noStream', index === 2 ? [storedEvent(), taken] : storedEvents(2)),
        ),
      );
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      for (const [index, stream] of streams.entries())
        expect(await log.readStream(stream)).toHaveLength(index === 2 ? 0 : 2);
    });
  });
}
