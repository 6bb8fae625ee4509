import { expect, it } from 'vitest';
import type { EventLog, RecordedEvent } from '../../src/ports/event-log.ts';
import { lastTrustedTime } from '../../src/roles/last-trusted-time.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.parse('2030-01-10T00:00:00Z');

/** A log whose events have these times. */
function logOf(times: readonly number[]): Pick<EventLog, 'positionAt' | 'readAll'> {
  return {
    positionAt: async (at) => times.filter((time) => time <= at.getTime()).length,
    readAll: async ({ after, direction, limit }) => {
      const all = times.map(
        (time, index) => ({ position: index + 1, time: new Date(time) }) as RecordedEvent,
      );
      const events =
        direction === 'backwards'
          ? all.filter(({ position }) => position < (after ?? Infinity)).reverse()
          : all.filter(({ position }) => position > (after ?? 0));
      return { events: events.slice(0, limit), scannedTo: times.length };
    },
  };
}

const trusted = async (times: readonly number[]) =>
  (await lastTrustedTime(logOf(times), now, hour)).getTime();

it('[A19] the last event counts once it is as old as a jump that is believed', async () => {
  expect(await trusted([now - 3 * day, now - 2 * hour])).toBe(now - 2 * hour);
  expect(await trusted([now - 3 * day, now - hour])).toBe(now - hour);
});

it('[A19] what a process wrote after a jump of the clock does not confirm the jump when it starts again', async () => {
  const jumped = [now - 30 * day, now - hour / 2, now - 1_000];
  expect(await trusted(jumped)).toBe(now - 30 * day);
});

it('[A19] of a log that has only later events, the first one counts', async () => {
  expect(await trusted([now - hour / 2, now - 1_000])).toBe(now - hour / 2);
  // The clock was set back.
  expect(await trusted([now + 5 * day])).toBe(now + 5 * day);
  expect(await trusted([])).toBe(now);
});
