import { randomUUID } from 'node:crypto';
import {
  binaryEvent,
  ErrorType,
  EventStoreDBClient,
  MaxAppendSizeExceededError,
  StreamNotFoundError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { counted, countedEvents, freshName, refusal, type ServerCalls } from '../support/kurrentdb-client.ts';

/** How the server treats appends. */
export function serverAppends(server: ServerCalls): void {
  describe('an append', () => {
    it('returns the revision and the position of its last event', async () => {
      const stream = freshName('new');
      const result = await server.append(stream, countedEvents(3), 'no_stream');
      expect(result).toEqual({
        success: true,
        nextExpectedRevision: 2n,
        position: { commit: expect.any(BigInt) as bigint, prepare: expect.any(BigInt) as bigint },
      });
      const last = (await server.read(stream))[2]!;
      expect(last.event!.position).toEqual(result.position);
      expect(last.commitPosition).toBe(result.position!.commit);
    });

    it('has the same prepare and commit position for each event', async () => {
      const stream = freshName('place');
      await server.append(stream, countedEvents(3));
      const places = (await server.read(stream)).map(({ event }) => event!.position!);
      for (const { commit, prepare } of places) expect(prepare).toBe(commit);
      expect(new Set(places.map(({ commit }) => commit)).size).toBe(3);
    });

    it('that expects no stream receives the revision of the existing one', async () => {
      const stream = freshName('exists');
      await server.append(stream, countedEvents(2));
      const error = await refusal(server.append(stream, counted(9), 'no_stream'), WrongExpectedVersionError);
      expect(error).toMatchObject({
        type: ErrorType.WRONG_EXPECTED_VERSION,
        streamName: stream,
        expectedVersion: 'no_stream',
        actualVersion: 1n,
        name: 'Error',
      });
    });

    it('at a wrong revision receives both revisions, also for a missing stream', async () => {
      const stream = freshName('wrong');
      await server.append(stream, countedEvents(2));
      expect(await refusal(server.append(stream, counted(9), 7n), WrongExpectedVersionError)).toMatchObject({
        expectedVersion: 7n,
        actualVersion: 1n,
      });
      const missing = server.append(freshName('missing'), counted(0), 0n);
      expect(await refusal(missing, WrongExpectedVersionError)).toMatchObject({
        expectedVersion: 0n,
        actualVersion: 'no_stream',
      });
    });

    it('that expects a stream is rejected if it does not exist', async () => {
      const stream = freshName('must');
      await server.append(stream, counted(0));
      expect((await server.append(stream, counted(1), 'stream_exists')).nextExpectedRevision).toBe(1n);
      const missing = server.append(freshName('must'), counted(0), 'stream_exists');
      expect(await refusal(missing, WrongExpectedVersionError)).toMatchObject({
        expectedVersion: 'stream_exists',
        actualVersion: 'no_stream',
      });
    });

    it('at the right revision, or at any, succeeds', async () => {
      const stream = freshName('right');
      await server.append(stream, counted(0));
      expect((await server.append(stream, counted(1), 0n)).nextExpectedRevision).toBe(1n);
      expect((await server.append(stream, counted(2), 'any')).nextExpectedRevision).toBe(2n);
    });

    it('resolves without success in a client that is configured not to throw', async () => {
      const quiet = EventStoreDBClient.connectionString(
        `${server.connectionString}&throwOnAppendFailure=false`,
      );
      const stream = freshName('quiet');
      await server.append(stream, countedEvents(6));
      const result = await quiet.appendToStream(stream, counted(9), { expectedRevision: 50n });
      expect(result).toMatchObject({ success: false, position: undefined });
      await quiet.dispose();
    });

    it('by the other call, selected by credentials, has the same result, also if it requires the leader', async () => {
      const stream = freshName('unary');
      const more = { credentials: { username: 'admin', password: 'changeit' }, requiresLeader: true };
      const { client } = server;
      const first = client.appendToStream(stream, countedEvents(2), {
        expectedRevision: 'no_stream',
        ...more,
      });
      expect((await first).nextExpectedRevision).toBe(1n);
      const wrong = client.appendToStream(stream, counted(9), { expectedRevision: 7n, ...more });
      expect(await refusal(wrong, WrongExpectedVersionError)).toMatchObject({
        expectedVersion: 7n,
        actualVersion: 1n,
      });
    });

    it('wins alone among concurrent appends at one revision', async () => {
      const stream = freshName('race');
      await server.append(stream, counted(0));
      const outcomes = await Promise.allSettled(
        countedEvents(12).map((event) => server.append(stream, event, 0n)),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(WrongExpectedVersionError);
      expect(await server.revisions(stream)).toEqual([0, 1]);
    });

    it('of several events is atomic', async () => {
      const stream = freshName('atomic');
      await server.append(stream, counted(0));
      await refusal(server.append(stream, countedEvents(50), 4n), WrongExpectedVersionError);
      expect(await server.revisions(stream)).toEqual([0]);
      await server.append(stream, countedEvents(50), 0n);
      expect(await server.revisions(stream)).toEqual(Array.from({ length: 51 }, (_, n) => n));
    });

    it('without events succeeds and creates no stream', async () => {
      const stream = freshName('empty');
      expect((await server.append(stream, [], 'no_stream')).success).toBe(true);
      await refusal(server.read(stream), StreamNotFoundError);
      expect((await server.append(stream, counted(0), 'no_stream')).nextExpectedRevision).toBe(0n);
    });

    it('accepts only UUIDs as ids, and stores them in lower case', async () => {
      await refusal(server.append(freshName('id'), counted(0, { id: 'not-a-uuid' })), UnknownError);
      const [stream, id] = [freshName('id'), randomUUID()];
      await server.append(stream, counted(0, { id: id.toUpperCase() }));
      expect((await server.read(stream))[0]!.event!.id).toBe(id);
    });

    it('is written in the order of sending, even as an unanswered chain of revisions', async () => {
      const [any, chain] = [freshName('pipe'), freshName('pipe')];
      await Promise.all(countedEvents(100).map((event) => server.append(any, event)));
      const read = await server.read(any);
      expect(read.map(({ event }) => (event!.data as { n: number }).n)).toEqual(read.map((_, n) => n));
      expect(read).toHaveLength(100);
      await Promise.all(
        countedEvents(50).map((event, n) => server.append(chain, event, n > 0 ? BigInt(n - 1) : 'no_stream')),
      );
      expect(await server.revisions(chain)).toHaveLength(50);
    });

    it('is visible at once after its confirmation', async () => {
      const stream = freshName('visible');
      for (const event of countedEvents(50)) {
        const { position } = await server.append(stream, event);
        const last = await server.read(stream, { direction: 'backwards', fromRevision: 'end', maxCount: 1 });
        expect(last[0]!.event!.id).toBe(event.id);
        for await (const { event: seen } of server.client.readAll({ fromPosition: position!, maxCount: 1 }))
          expect(seen!.id).toBe(event.id);
      }
    });

    it('may contain just under 1 MiB, in one event or in all of them', async () => {
      const stream = freshName('big');
      const data = new Uint8Array(1024 * 1024 - 2048).map((_, index) => index);
      await server.append(stream, binaryEvent({ type: 'B', data }));
      const read = (await server.read(stream))[0]!.event!.data as Uint8Array;
      // Not toEqual, which would print the whole difference.
      expect(Buffer.compare(Buffer.from(read), Buffer.from(data))).toBe(0);
    });

    it('beyond that is rejected with the limit, and nothing is written', async () => {
      const stream = freshName('over');
      const huge = binaryEvent({ type: 'B', data: new Uint8Array(17 * 1024 * 1024) });
      await refusal(server.append(stream, huge), Error);
      const many = Array.from({ length: 20 }, () =>
        binaryEvent({ type: 'B', data: new Uint8Array(100_000) }),
      );
      expect(await refusal(server.append(stream, many), MaxAppendSizeExceededError)).toMatchObject({
        type: ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
        maxAppendSize: 1024 * 1024,
      });
      await refusal(server.read(stream), StreamNotFoundError);
      expect((await server.append(stream, counted(0))).success).toBe(true);
    });
  });
}
