import { setTimeout as sleep } from 'node:timers/promises';
import {
  eventTypeFilter,
  excludeSystemEvents,
  jsonEvent,
  streamNameFilter,
  UnknownError,
  type Position,
} from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import {
  counted,
  countedEvents,
  freshName,
  Listener,
  type ServerCalls,
} from '../support/kurrentdb-client.ts';
import { eventually } from '../support/eventually.ts';

/** Subscriptions to the whole log, and the server's filters. */
export function serverAllSubscriptions(server: ServerCalls): void {
  const only = (stream: string) => streamNameFilter({ prefixes: [stream] });

  describe('a subscription to the whole log', () => {
    it('is filtered by prefix or pattern of the stream or the type', async () => {
      const prefix = freshName('filter');
      const { position } = await server.append(`${prefix}-start`, counted(0));
      const unique = prefix.replaceAll('.', '');
      const event = (type: string) => jsonEvent({ type: type + unique, data: {} });
      await server.append(`${prefix}-a1`, [event('Alpha'), event('Beta')]);
      await server.append(`${prefix}-b1`, [event('Alpha'), event('Gamma')]);
      const { position: last } = await server.append(`${prefix}-end`, counted(0));
      for (const [filter, expected] of [
        [streamNameFilter({ prefixes: [`${prefix}-a`, `${prefix}-zzz`] }), 2],
        [streamNameFilter({ regex: `^${prefix.replaceAll('.', '\\.')}-[ab]\\d$` }), 4],
        [eventTypeFilter({ prefixes: [`Alpha${unique}`, `Gamma${unique}`] }), 3],
        [eventTypeFilter({ regex: `^(Beta|Gamma)${unique}$` }), 2],
      ] as const) {
        const listener = new Listener(server.client.subscribeToAll({ fromPosition: position!, filter }));
        await listener.heard('caughtUp');
        await listener.count(expected);
        expect(listener.events).toHaveLength(expected);
        for (const { event: seen } of listener.events)
          expect(seen!.position!.commit).toBeLessThan(last!.commit);
        await listener.unsubscribe();
      }
    });

    it('can exclude system events', async () => {
      const stream = freshName('nosystem');
      const { position } = await server.append(stream, counted(0));
      await server.client.setStreamMetadata(stream, { maxCount: 9 });
      await server.append(stream, counted(1));
      const options = { fromPosition: position!, filter: excludeSystemEvents() };
      const listener = new Listener(server.client.subscribeToAll(options));
      await eventually(() => listener.events.some(({ event }) => event!.streamId === stream)).toBe(true);
      expect(listener.events.filter(({ event }) => event!.type.startsWith('$'))).toEqual([]);
      await listener.unsubscribe();
    });

    it.each(['', 'with a filter'])('continues after a position %s', async (filtered) => {
      const stream = freshName('resume');
      await server.append(stream, countedEvents(4));
      const fromPosition = (await server.read(stream))[1]!.event!.position!;
      const filter = filtered === '' ? {} : { filter: only(stream) };
      const listener = new Listener(server.client.subscribeToAll({ fromPosition, ...filter }));
      const mine = () => listener.events.filter(({ event }) => event?.streamId === stream);
      await eventually(() => mine().length).toBe(2);
      expect(mine().map(({ event }) => event!.revision)).toEqual([2n, 3n]);
      await listener.unsubscribe();
    });

    it('from the end delivers events appended after its confirmation', async () => {
      const stream = freshName('end');
      await server.append(stream, countedEvents(3));
      const listener = new Listener(
        server.client.subscribeToAll({ fromPosition: 'end', filter: only(stream) }),
      );
      await listener.heard('confirmation');
      await server.append(stream, countedEvents(2));
      await listener.count(2);
      expect(listener.revisions).toEqual([3, 4]);
      await listener.unsubscribe();
    });

    it('continues after a position that was stored as decimal text', async () => {
      const stream = freshName('text');
      const { position } = await server.append(stream, counted(0));
      await server.append(stream, counted(1));
      const kept = {
        commit: String(position!.commit),
        prepare: String(position!.prepare),
      } as unknown as Position;
      const listener = new Listener(
        server.client.subscribeToAll({ fromPosition: kept, filter: only(stream) }),
      );
      await listener.count(1);
      expect(listener.revisions).toEqual([1]);
      await listener.unsubscribe();
    });

    it('fails at a position that no record has, and waits at one beyond the end', async () => {
      const inside = { commit: 3n, prepare: 3n };
      await new Listener(server.client.subscribeToAll({ fromPosition: inside })).failed(UnknownError);
      const stream = freshName('future');
      const fromPosition = { commit: 10n ** 15n, prepare: 10n ** 15n };
      await server.append(stream, counted(0));
      const listener = new Listener(server.client.subscribeToAll({ fromPosition, filter: only(stream) }));
      await sleep(200);
      expect([listener.error, listener.events]).toEqual([undefined, []]);
      await listener.unsubscribe();
    });
  });

  describe('checkpoints of a filtered subscription', () => {
    it('have increasing positions, from each of which a subscription can continue', async () => {
      const stream = freshName('check');
      const { position: fromPosition } = await server.append(stream, counted(0));
      await server.append(freshName('noise'), countedEvents(400));
      await server.append(stream, counted(1));
      await server.append(freshName('noise'), countedEvents(400));
      const end = (await server.append(stream, counted(2))).position!;
      const points: Position[] = [];
      const filter = streamNameFilter({
        prefixes: [stream],
        checkpointInterval: 1,
        checkpointReached: (_, position) => void points.push(position),
      });
      const listener = new Listener(server.client.subscribeToAll({ fromPosition: fromPosition!, filter }));
      await listener.count(2);
      await eventually(() => points.length).toBeGreaterThanOrEqual(10);
      for (const [n, { commit }] of points.entries())
        if (n > 0) expect(commit).toBeGreaterThan(points[n - 1]!.commit);
      await listener.unsubscribe();
      const middle = points.findLast(({ commit }) => commit < end.commit)!;
      const rest = listener.events.filter(({ event }) => event!.position!.commit > middle.commit);
      const resumed = new Listener(
        server.client.subscribeToAll({ fromPosition: middle, filter: only(stream) }),
      );
      await resumed.heard('caughtUp');
      await resumed.count(rest.length);
      expect(resumed.revisions).toEqual(rest.map(({ event }) => Number(event!.revision)));
      await resumed.unsubscribe();
    });

    it('may be ahead of a slow reader', async () => {
      const stream = freshName('ahead');
      const { position } = await server.append(stream, counted(0));
      await server.append(stream, countedEvents(100));
      let processed = 0n;
      let ahead = 0;
      const filter = streamNameFilter({
        prefixes: [stream],
        checkpointReached(_, { commit }) {
          if (commit > processed) ahead++;
        },
      });
      for await (const { event } of server.client.subscribeToAll({ fromPosition: position!, filter })) {
        await sleep(5);
        processed = event!.position!.commit;
        if (event!.revision === 100n) break;
      }
      expect(ahead).toBeGreaterThan(0);
    });

    it('delay further events until their reader has read them', async () => {
      const stream = freshName('await');
      const { position } = await server.append(stream, counted(0));
      await server.append(freshName('noise'), countedEvents(200));
      await server.append(stream, counted(1));
      let release: () => void = () => undefined;
      let reached = false;
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      const filter = streamNameFilter({
        prefixes: [stream],
        checkpointReached() {
          reached = true;
          return gate;
        },
      });
      const listener = new Listener(server.client.subscribeToAll({ fromPosition: position!, filter }));
      await eventually(() => reached).toBe(true);
      expect(listener.events).toEqual([]);
      release();
      await listener.count(1);
      await listener.unsubscribe();
    });
  });
}
