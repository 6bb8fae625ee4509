import { WrongExpectedVersionError } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { counted, countedEvents, freshName, refusal, type ServerCalls } from '../support/kurrentdb-client.ts';

/** How the server treats ids that were written before. */
export function serverIds(server: ServerCalls): void {
  describe('ids that were written before', () => {
    it('at the same revision succeed with the first result, and write nothing', async () => {
      const stream = freshName('again');
      const events = countedEvents(2);
      const first = await server.append(stream, events, 'no_stream');
      expect(await server.append(stream, events, 'no_stream')).toEqual(first);
      expect(await server.revisions(stream)).toEqual([0, 1]);
    });

    it('do so even after later events, at the old revision, any and stream_exists', async () => {
      const stream = freshName('later');
      const [events, next] = [countedEvents(2), [counted(2)]];
      const first = await server.append(stream, events, 'no_stream');
      const second = await server.append(stream, next, 1n);
      for (const expected of ['no_stream', 'any', 'stream_exists'] as const)
        expect(await server.append(stream, events, expected)).toEqual(first);
      expect(await server.append(stream, next, 1n)).toEqual(second);
      expect(await server.revisions(stream)).toEqual([0, 1, 2]);
    });

    it('may be the first part of that append', async () => {
      const stream = freshName('prefix');
      const events = countedEvents(3);
      await server.append(stream, events, 'no_stream');
      const again = await server.append(stream, events.slice(0, 2), 'no_stream');
      expect(again.nextExpectedRevision).toBe(1n);
      expect(await server.revisions(stream)).toEqual([0, 1, 2]);
    });

    it('followed by new ones are rejected, even at any', async () => {
      const stream = freshName('overlap');
      const events = countedEvents(2);
      await server.append(stream, events, 'no_stream');
      await refusal(server.append(stream, [...events, counted(9)], 'no_stream'), WrongExpectedVersionError);
      await refusal(server.append(stream, [events[1]!, counted(9)], 0n), WrongExpectedVersionError);
      const any = server.append(stream, [events[1]!, counted(9)], 'any');
      expect(await refusal(any, WrongExpectedVersionError)).toMatchObject({
        expectedVersion: 'any',
        actualVersion: 1n,
      });
      expect(await server.revisions(stream)).toEqual([0, 1]);
    });

    it('are written again at the current revision, and twice in one append', async () => {
      const stream = freshName('double');
      const event = counted(0);
      await server.append(stream, event, 'no_stream');
      expect((await server.append(stream, event, 0n)).nextExpectedRevision).toBe(1n);
      const twice = await server.append(freshName('double'), [event, event], 'no_stream');
      expect(twice.nextExpectedRevision).toBe(1n);
    });

    it('identify the same event even with other data: the first is kept', async () => {
      const stream = freshName('first');
      const event = counted('old');
      await server.append(stream, event, 'no_stream');
      await server.append(stream, { ...event, data: { n: 'new' } }, 'no_stream');
      expect((await server.read(stream)).map((read) => read.event!.data)).toEqual([{ n: 'old' }]);
    });
  });
}
