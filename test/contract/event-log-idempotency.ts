import { describe, expect, it } from 'vitest';
import { WrongExpectedRevision, type ExpectedRevision } from '../../src/ports/event-log.ts';
import {
  freshStream,
  ids,
  revisions,
  storedEvent,
  storedEvents,
  type ContractLog,
} from '../support/log-events.ts';

/** An append whose reply was lost is repeated: it must be written once and return its first result. */
export function idempotencyContract(contract: ContractLog): void {
  describe('an append that repeats the ids of an earlier one', () => {
    const places: readonly [ExpectedRevision, number][] = [
      ['noStream', 0],
      [1, 2],
      ['any', 2],
      ['exists', 2],
    ];

    it.each(places)(
      'at the same place (%s) answers as the first did and writes nothing',
      async (expected, before) => {
        const stream = freshStream();
        if (before > 0) await contract.log.append(stream, 'noStream', storedEvents(before));
        const events = storedEvents(3);
        const first = await contract.log.append(stream, expected, events);
        expect(first.repeated).toBe(false);
        expect(await contract.log.append(stream, expected, events)).toEqual({ ...first, repeated: true });
        expect(await contract.log.readStream(stream)).toHaveLength(before + 3);
      },
    );

    it.each(places)('does so even after later events (%s)', async (expected, before) => {
      const stream = freshStream();
      if (before > 0) await contract.log.append(stream, 'noStream', storedEvents(before));
      const events = storedEvents(2);
      const first = await contract.log.append(stream, expected, events);
      const later = await contract.log.append(stream, 'any', storedEvents(4));
      await contract.log.append(freshStream(), 'any', storedEvents(1));
      expect(await contract.log.append(stream, expected, events)).toEqual({ ...first, repeated: true });
      expect(await contract.log.append(stream, later.revision, storedEvents(1))).toMatchObject({
        repeated: false,
      });
    });

    it('while the first is still in progress is written once', async () => {
      const stream = freshStream();
      const events = storedEvents(2);
      const results = await Promise.all(
        Array.from({ length: 6 }, () => contract.log.append(stream, 'noStream', events)),
      );
      expect(results.filter(({ repeated }) => !repeated)).toHaveLength(1);
      expect(new Set(results.map(({ position }) => position)).size).toBe(1);
      expect(ids(await contract.log.readStream(stream))).toEqual(ids(events));
    });

    it('at another revision is a conflict', async () => {
      const stream = freshStream();
      const events = storedEvents(2);
      await contract.log.append(stream, 'noStream', events);
      await contract.log.append(stream, 1, storedEvents(2));
      for (const elsewhere of [0, 1, 2, 9]) {
        await expect(contract.log.append(stream, elsewhere, events)).rejects.toMatchObject({ actual: 3 });
      }
      expect(await contract.log.readStream(stream)).toHaveLength(4);
    });

    it('at the current head is a conflict, because an id identifies one event', async () => {
      const stream = freshStream();
      const events = storedEvents(2);
      await contract.log.append(stream, 'noStream', events);
      await expect(contract.log.append(stream, 1, events)).rejects.toBeInstanceOf(WrongExpectedRevision);
      expect(await contract.log.readStream(stream)).toHaveLength(2);
    });

    it.each(['noStream', 1, 'any', 'exists'] as const)(
      'but mixes them with new ones is a conflict (%s)',
      async (expected) => {
        const stream = freshStream();
        const known = storedEvents(2);
        await contract.log.append(stream, 'noStream', known);
        for (const mixed of [
          [...known, storedEvent()],
          [storedEvent(), ...known],
          [known[0]!, storedEvent()],
          [known[1]!, known[0]!],
        ]) {
          const error: unknown = await contract.log
            .append(stream, expected, mixed)
            .catch((reason: unknown) => reason);
          expect(error).toBeInstanceOf(WrongExpectedRevision);
          expect(error).toMatchObject({ actual: 1 });
        }
        expect(revisions(await contract.log.readStream(stream))).toEqual([0, 1]);
      },
    );

    it('succeeds for the first part of the earlier append', async () => {
      const stream = freshStream();
      const events = storedEvents(3);
      await contract.log.append(stream, 'noStream', events);
      expect(await contract.log.append(stream, 'noStream', events.slice(0, 2))).toMatchObject({
        revision: 1,
        repeated: true,
      });
    });
  });
}
