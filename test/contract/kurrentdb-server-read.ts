import {
  binaryEvent,
  ErrorType,
  InvalidArgumentError,
  StreamNotFoundError,
  UnknownError,
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

/** Reading one stream, and the whole log. */
export function serverReads(server: ServerCalls): void {
  describe('a stream', () => {
    it('is read forwards and backwards, from a revision inclusively, up to a count', async () => {
      const stream = freshName('read');
      await server.append(stream, countedEvents(5));
      const backwards = { direction: 'backwards' } as const;
      expect(await server.revisions(stream)).toEqual([0, 1, 2, 3, 4]);
      expect(await server.revisions(stream, { ...backwards, fromRevision: 'end' })).toEqual([4, 3, 2, 1, 0]);
      expect(await server.revisions(stream, { fromRevision: 2n })).toEqual([2, 3, 4]);
      expect(await server.revisions(stream, { fromRevision: 2n, maxCount: 2 })).toEqual([2, 3]);
      expect(await server.revisions(stream, { ...backwards, fromRevision: 2n })).toEqual([2, 1, 0]);
      expect(await server.revisions(stream, { ...backwards, fromRevision: 'end', maxCount: 1 })).toEqual([4]);
      expect(await server.revisions(stream, backwards)).toEqual([0]);
    });

    it('read from beyond its end returns nothing forwards, and everything backwards', async () => {
      const stream = freshName('beyond');
      await server.append(stream, countedEvents(3));
      expect(await server.revisions(stream, { fromRevision: 99n })).toEqual([]);
      expect(await server.revisions(stream, { fromRevision: 99n, direction: 'backwards' })).toEqual([
        2, 1, 0,
      ]);
    });

    it('that does not exist fails when it is iterated, in both directions', async () => {
      const stream = freshName('none');
      const error = await refusal(server.read(stream), StreamNotFoundError);
      expect(error).toMatchObject({ type: ErrorType.STREAM_NOT_FOUND, streamName: stream });
      const backwards = server.read(stream, { direction: 'backwards', fromRevision: 'end', maxCount: 1 });
      await refusal(backwards, StreamNotFoundError);
    });

    it('cannot be read from a negative revision, with a count of 0, or forwards from its end', async () => {
      const stream = freshName('arguments');
      await server.append(stream, counted(0));
      expect(() => server.client.readStream(stream, { fromRevision: -1n })).toThrow(InvalidArgumentError);
      await refusal(server.read(stream, { maxCount: 0 }), UnknownError);
      await refusal(server.read(stream, { fromRevision: 'end' }), UnknownError);
    });

    it('can be abandoned before its end', async () => {
      const stream = freshName('early');
      await server.append(stream, countedEvents(500));
      const reading = server.client.readStream(stream);
      for await (const { event } of reading) if (event!.revision === 2n) break;
      expect(reading.destroyed).toBe(true);
    });

    it('of links returns the links, or their targets, or nothing if a target is deleted', async () => {
      const [target, links] = [freshName('target'), freshName('links')];
      await server.append(target, counted(7));
      const pointers = [`0@${target}`, `0@${freshName('gone')}`];
      await server.append(
        links,
        pointers.map((to) => binaryEvent({ type: '$>', data: new Uint8Array(Buffer.from(to)) })),
      );
      const plain = await server.read(links);
      expect(plain.map(({ event, link }) => [event!.type, link])).toEqual([
        ['$>', undefined],
        ['$>', undefined],
      ]);
      const [resolved, dangling] = await server.read(links, { resolveLinkTos: true });
      expect([resolved!.event!.streamId, resolved!.link!.streamId]).toEqual([target, links]);
      expect([dangling!.event, dangling!.link!.streamId]).toEqual([undefined, links]);
    });
  });

  describe('the whole log', () => {
    const beyond = { commit: 10n ** 15n, prepare: 10n ** 15n };

    it('forwards from a position includes the event there, backwards only events before it', async () => {
      const stream = freshName('all');
      await server.append(stream, countedEvents(4));
      const fromPosition = (await server.read(stream))[1]!.event!.position!;
      const mine = async (options: Parameters<typeof server.client.readAll>[0]) => {
        const read = await collect(server.client.readAll({ maxCount: 50, ...options }));
        return read
          .filter(({ event }) => event!.streamId === stream)
          .map(({ event }) => Number(event!.revision));
      };
      expect(await mine({ fromPosition })).toEqual([1, 2, 3]);
      expect(await mine({ fromPosition, direction: 'backwards' })).toEqual([0]);
      expect(await mine({ fromPosition: 'end', direction: 'backwards' })).toEqual([3, 2, 1, 0]);
    });

    it('has nothing beyond its end, and rejects a position inside a record', async () => {
      const stream = freshName('positions');
      await server.append(stream, countedEvents(5));
      expect(await collect(server.client.readAll({ fromPosition: beyond, maxCount: 5 }))).toEqual([]);
      const { commit, prepare } = (await server.read(stream))[0]!.event!.position!;
      const inside = { commit: commit + 3n, prepare: prepare + 3n };
      await refusal(collect(server.client.readAll({ fromPosition: inside, maxCount: 5 })), UnknownError);
    });

    it('includes system events, whose type begins with $', async () => {
      const stream = freshName('system');
      const { position } = await server.append(stream, counted(0));
      await server.client.setStreamMetadata(stream, { maxCount: 5 });
      const read = await collect(server.client.readAll({ fromPosition: position!, maxCount: 500 }));
      expect(read.map(({ event }) => [event!.streamId, event!.type])).toContainEqual([
        `$$${stream}`,
        '$metadata',
      ]);
    });

    it('has every event of 8 writers once, with increasing positions, and each stream in order', async () => {
      const prefix = freshName('writers');
      const { position } = await server.append(`${prefix}-start`, counted(0));
      const written = new Set<string>();
      const write = async (writer: number): Promise<void> => {
        for (let n = 0; n < 40; n++) {
          const events = countedEvents(1 + (n % 3));
          for (const { id } of events) written.add(id);
          await server.append(`${prefix}-${writer}`, events);
        }
      };
      await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
      const seen: string[] = [];
      const next = new Map<string, bigint>();
      let last = -1n;
      for await (const { event } of server.client.readAll({ fromPosition: position! })) {
        expect(event!.position!.commit).toBeGreaterThan(last);
        last = event!.position!.commit;
        if (!written.has(event!.id)) continue;
        expect(event!.revision).toBe(next.get(event!.streamId) ?? 0n);
        next.set(event!.streamId, event!.revision + 1n);
        seen.push(event!.id);
      }
      expect(seen).toHaveLength(written.size);
      expect(new Set(seen)).toEqual(written);
    });
  });
}
