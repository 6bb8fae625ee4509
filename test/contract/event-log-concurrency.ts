import { describe, expect, it } from 'vitest';
import { WrongExpectedRevision, type RecordedEvent, type StreamName } from '../../src/ports/event-log.ts';
import { freshCategory, freshStream, ids, storedEvents, type ContractLog } from '../support/log-events.ts';

const writers = 16;
const appendsOfEach = 15;

interface Written {
  readonly stream: StreamName;
  readonly events: readonly { id: string }[];
  readonly revision: number;
  readonly position: number;
  /** Positions that were acknowledged to any writer before this append was sent. */
  readonly after: number;
}

/** Sixteen writers on overlapping streams, with readers beside them. */
export function concurrencyContract(contract: ContractLog): void {
  describe(`under ${writers} concurrent writers`, () => {
    it('has no gaps or duplicates, keeps commit order, and delivers everything once to a subscriber', async () => {
      const { log } = contract;
      const streams = Array.from({ length: 5 }, () => freshStream(freshCategory()));
      const start = await log.head();
      const stop = new AbortController();
      const seen: RecordedEvent[] = [];
      const subscriber = (async () => {
        let scannedTo = start;
        for await (const page of log.subscribe({ after: start, batchSize: 7, signal: stop.signal })) {
          for (const event of page.events) expect(event.position).toBeGreaterThan(scannedTo);
          scannedTo = page.scannedTo;
          seen.push(...page.events);
        }
      })();

      let acknowledged = start;
      const written: Written[] = [];
      const write = async (writer: number): Promise<void> => {
        for (let n = 0; n < appendsOfEach; n++) {
          const stream = streams[(writer + n) % streams.length]!;
          const events = storedEvents(1 + ((writer + n) % 3));
          const after = acknowledged;
          const { revision, position } = await appendAtLast(stream, events, n % 4 === 0);
          acknowledged = Math.max(acknowledged, position);
          written.push({ stream, events, revision, position, after });
        }
      };
      await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));

      const end = await log.head();
      await expect.poll(() => seen.at(-1)?.position).toBe(end);
      stop.abort();
      await subscriber;

      const total = written.reduce((sum, { events }) => sum + events.length, 0);
      const { events: all } = await log.readAll({ after: start, limit: total + 1 });
      expect(all).toHaveLength(total);
      for (const [n, { position }] of all.entries())
        expect(position).toBeGreaterThan(n === 0 ? start : all[n - 1]!.position);
      expect(seen).toEqual(all);
      expect(new Set(ids(all)).size).toBe(total);
      for (const { stream, events, revision, position, after } of written) {
        const first = all.findIndex(({ id }) => id === events[0]!.id);
        const block = all.slice(first, first + events.length);
        expect(ids(block)).toEqual(ids(events));
        expect(block.map((event) => [event.stream, event.revision])).toEqual(
          events.map((_, index) => [stream, revision - events.length + 1 + index]),
        );
        expect(block.at(-1)!.position).toBe(position);
        expect(block[0]!.position).toBeGreaterThan(after);
      }
      for (const stream of streams) {
        const inLog = all.filter((event) => event.stream === stream);
        expect(inLog.map(({ revision }) => revision)).toEqual(inLog.map((_, index) => index));
        expect(await log.readStream(stream)).toEqual(inLog);
      }
    });

    it('never decreases the time from one position to the next', async () => {
      const { events } = await contract.log.readAll({ limit: 100_000 });
      expect(events.length).toBeGreaterThan(writers * appendsOfEach);
      const times = events.map(({ time }) => time.getTime());
      expect(times).toEqual(times.toSorted((left, right) => left - right));
      expect(times.at(-1)!).toBeLessThanOrEqual(Date.now() + 60_000);
    });
  });

  /** Appends like a command: at the exact revision and again after a conflict, or at any revision. */
  async function appendAtLast(
    stream: StreamName,
    events: ReturnType<typeof storedEvents>,
    any: boolean,
  ): Promise<{ revision: number; position: number }> {
    if (any) return contract.log.append(stream, 'any', events);
    for (;;) {
      const [last] = await contract.log.readStream(stream, { direction: 'backwards', limit: 1 });
      try {
        return await contract.log.append(stream, last?.revision ?? 'noStream', events);
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error;
      }
    }
  }
}
