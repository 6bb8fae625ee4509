import { setTimeout as sleep } from 'node:timers/promises';
import {
  ErrorType,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import {
  collect,
  counted,
  countedEvents,
  freshName,
  refusal,
  type ServerCalls,
} from '../support/kurrentdb-client.ts';

/** Streams that were deleted or tombstoned, and events hidden by stream metadata. */
export function serverDeletion(server: ServerCalls): void {
  describe('a deleted stream', () => {
    it.each(['no_stream', 2n, 'any'] as const)(
      'is missing for readers, and later events continue its numbering (%s)',
      async (expected) => {
        const stream = freshName('soft');
        await server.append(stream, countedEvents(3));
        const { position } = await server.client.deleteStream(stream, { expectedRevision: 2n });
        expect(typeof position!.commit).toBe('bigint');
        await refusal(server.read(stream), StreamNotFoundError);
        expect((await server.append(stream, counted(3), expected)).nextExpectedRevision).toBe(3n);
        expect(await server.revisions(stream)).toEqual([3]);
      },
    );

    it('does not exist', async () => {
      const stream = freshName('soft');
      await server.append(stream, counted(0));
      await server.client.deleteStream(stream);
      const error = await refusal(server.append(stream, counted(1), 'stream_exists'), StreamDeletedError);
      expect(error.streamName).toBe(stream);
    });

    it('treats its old ids as written, without a position', async () => {
      const stream = freshName('soft');
      const event = counted(0);
      await server.append(stream, [event, counted(1)], 'no_stream');
      await server.client.deleteStream(stream);
      expect(await server.append(stream, event, 'no_stream')).toMatchObject({
        success: true,
        position: undefined,
      });
      await refusal(server.read(stream), StreamNotFoundError);
    });

    it('must have existed, at the expected revision', async () => {
      const missing = await refusal(server.client.deleteStream(freshName('no')), WrongExpectedVersionError);
      expect(missing).toMatchObject({ expectedVersion: -2n, actualVersion: -1n });
      const stream = freshName('no');
      await server.append(stream, counted(0));
      const wrong = server.client.deleteStream(stream, { expectedRevision: 9n });
      expect(await refusal(wrong, WrongExpectedVersionError)).toMatchObject({
        expectedVersion: 9n,
        actualVersion: 0n,
      });
    });
  });

  describe('a tombstoned stream', () => {
    it('accepts and returns no events', async () => {
      const stream = freshName('tomb');
      await server.append(stream, countedEvents(2));
      await server.client.tombstoneStream(stream);
      for (const attempt of [
        () => server.read(stream),
        () => server.append(stream, counted(2)),
        () => server.append(stream, counted(2), 'no_stream'),
        () => server.client.deleteStream(stream),
        () => server.client.tombstoneStream(stream),
      ])
        expect(await refusal(attempt(), StreamDeletedError)).toMatchObject({
          type: ErrorType.STREAM_DELETED,
          streamName: stream,
        });
    });

    it('keeps its events in the whole log, plus a tombstone event', async () => {
      const stream = freshName('tomb');
      const { position } = await server.append(stream, counted(0));
      await server.client.tombstoneStream(stream);
      const all = await collect(server.client.readAll({ fromPosition: position!, maxCount: 500 }));
      const mine = all.filter(({ event }) => event!.streamId === stream);
      expect(mine.map(({ event }) => [event!.type, event!.revision])).toEqual([
        ['Counted', 0n],
        ['$streamDeleted', 2n ** 63n - 1n],
      ]);
    });
  });

  describe('metadata of a stream', () => {
    it('hides its old events from readers of the stream at once, but not from readers of the whole log', async () => {
      const stream = freshName('limits');
      const { position } = await server.append(stream, counted(0));
      await server.append(stream, countedEvents(5));
      await server.client.setStreamMetadata(stream, { maxCount: 2 });
      expect(await server.revisions(stream)).toEqual([4, 5]);
      await server.client.setStreamMetadata(stream, { truncateBefore: 3 });
      expect(await server.revisions(stream)).toEqual([3, 4, 5]);
      await server.client.setStreamMetadata(stream, { maxAge: 1 });
      await sleep(2_100);
      expect(await server.revisions(stream)).toEqual([]);
      await server.client.setStreamMetadata(stream, {});
      expect(await server.revisions(stream)).toEqual([0, 1, 2, 3, 4, 5]);
      const all = await collect(server.client.readAll({ fromPosition: position!, maxCount: 500 }));
      expect(all.filter(({ event }) => event!.streamId === stream)).toHaveLength(6);
    });

    it('returns custom keys, and creates no stream', async () => {
      const [stream, unknown] = [freshName('meta'), freshName('meta')];
      const metadata = { maxCount: 7, owner: 'me' };
      await server.client.setStreamMetadata(stream, metadata, { expectedRevision: 'no_stream' });
      expect(await server.client.getStreamMetadata(stream)).toMatchObject({ streamName: stream, metadata });
      expect(await server.client.getStreamMetadata(unknown)).toEqual({ streamName: unknown });
      await refusal(server.read(stream), StreamNotFoundError);
    });
  });
}
