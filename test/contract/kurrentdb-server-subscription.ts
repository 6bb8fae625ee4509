import { setTimeout as sleep } from 'node:timers/promises';
import { StreamDeletedError, TimeoutError, EventStoreDBClient } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import {
  collect,
  counted,
  countedEvents,
  freshName,
  Listener,
  refusal,
  type ServerCalls,
} from '../support/kurrentdb-client.ts';

/** Subscriptions to a stream, and how a subscription ends. */
export function serverSubscriptions(server: ServerCalls): void {
  describe('a subscription to a stream', () => {
    it('delivers its history, then new events, and reports once that it has caught up', async () => {
      const stream = freshName('sub');
      await server.append(stream, countedEvents(3));
      const listener = new Listener(server.client.subscribeToStream(stream));
      await listener.count(3);
      await listener.heard('caughtUp');
      await server.append(stream, counted(3));
      await listener.count(4);
      expect(listener.revisions).toEqual([0, 1, 2, 3]);
      expect(listener.log).toEqual(['confirmation', 'caughtUp']);
      await listener.unsubscribe();
    });

    it('continues after a revision, or after all existing events', async () => {
      const stream = freshName('sub');
      await server.append(stream, countedEvents(3));
      const after = new Listener(server.client.subscribeToStream(stream, { fromRevision: 0n }));
      const end = new Listener(server.client.subscribeToStream(stream, { fromRevision: 'end' }));
      await Promise.all([after.heard('caughtUp'), end.heard('caughtUp')]);
      await server.append(stream, counted(3));
      await Promise.all([after.count(3), end.count(1)]);
      expect([after.revisions, end.revisions]).toEqual([[1, 2, 3], [3]]);
      await Promise.all([after.unsubscribe(), end.unsubscribe()]);
    });

    it('waits for a missing stream, and survives its deletion', async () => {
      const stream = freshName('sub');
      const listener = new Listener(server.client.subscribeToStream(stream));
      await listener.heard('confirmation');
      await server.append(stream, counted(0));
      await listener.count(1);
      await server.client.deleteStream(stream);
      await server.append(stream, counted(1));
      await listener.count(2);
      expect(listener.revisions).toEqual([0, 1]);
      expect(listener.error).toBeUndefined();
      await listener.unsubscribe();
    });

    it('fails when the stream is tombstoned, and if it was before', async () => {
      const stream = freshName('sub');
      await server.append(stream, counted(0));
      const listener = new Listener(server.client.subscribeToStream(stream));
      await listener.heard('caughtUp');
      await server.client.tombstoneStream(stream);
      await listener.failed(StreamDeletedError);
      await new Listener(server.client.subscribeToStream(stream)).failed(StreamDeletedError);
    });
  });

  describe('a slow reader', () => {
    it('loses no event of the history', async () => {
      const stream = freshName('slow');
      await server.append(stream, countedEvents(1_500));
      let next = 0n;
      for await (const { event } of server.client.subscribeToStream(stream)) {
        expect(event!.revision).toBe(next++);
        if (next % 300n === 0n) await sleep(50);
        if (next === 1_500n) break;
      }
    });

    it('receives all live events in order or an error, but never an unreported gap', async () => {
      const stream = freshName('burst');
      const subscription = server.client.subscribeToStream(stream, { fromRevision: 'end' });
      let error: Error | undefined;
      subscription.on('error', (reason: Error) => {
        error ??= reason;
      });
      await new Promise((resolve) => subscription.once('confirmation', resolve));
      const padded = { metadata: { pad: 'x'.repeat(500) } };
      for (let n = 0; n < 5; n++)
        await server.append(
          stream,
          Array.from({ length: 500 }, (_, index) => counted(index, padded)),
        );
      let next = 0n;
      const wrong: bigint[] = [];
      subscription.on('data', ({ event }) => {
        if (event!.revision !== next++) wrong.push(event!.revision);
      });
      await expect.poll(() => error !== undefined || next === 2_500n, { timeout: 20_000 }).toBe(true);
      expect(wrong).toEqual([]);
      if (error) {
        expect(error).toBeInstanceOf(TimeoutError);
        const rest = new Listener(
          server.client.subscribeToStream(stream, next > 0n ? { fromRevision: next - 1n } : {}),
        );
        await rest.count(2_500 - Number(next));
        await rest.unsubscribe();
      } else await subscription.unsubscribe();
    });
  });

  describe('the end of a subscription', () => {
    it('causes no error when it was requested', async () => {
      const listener = new Listener(server.client.subscribeToAll({ fromPosition: 'end' }));
      await listener.heard('confirmation');
      await listener.unsubscribe();
      await listener.heard('close');
      expect(listener.log).toContain('end');
      expect(listener.error).toBeUndefined();
      const iterated = server.client.subscribeToAll({ fromPosition: 'end' });
      const loop = collect(iterated);
      await new Promise((resolve) => iterated.once('confirmation', resolve));
      await iterated.unsubscribe();
      await loop;
    });

    it('is a single error for the iterating reader', async () => {
      const stream = freshName('loop');
      await server.append(stream, counted(0));
      const subscription = server.client.subscribeToStream(stream);
      const caughtUp = new Promise((resolve) => subscription.once('caughtUp', resolve));
      const loop = refusal(collect(subscription), StreamDeletedError);
      await caughtUp;
      await server.client.tombstoneStream(stream);
      await loop;
    });

    it('causes no error when the client is disposed, and the client can be used again', async () => {
      const other = EventStoreDBClient.connectionString(server.connectionString);
      const listener = new Listener(other.subscribeToAll({ fromPosition: 'end' }));
      await listener.heard('confirmation');
      await other.dispose();
      await listener.heard('close');
      expect(listener.error).toBeUndefined();
      expect((await other.appendToStream(freshName('dispose'), counted(0))).success).toBe(true);
      await other.dispose();
    });
  });
}
