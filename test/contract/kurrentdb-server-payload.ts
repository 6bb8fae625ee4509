import { binaryEvent, jsonEvent, type EventData } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { counted, freshName, type ServerCalls } from '../support/kurrentdb-client.ts';

/** Fields of events that are read. */
export function serverPayload(server: ServerCalls): void {
  const readBack = async (events: EventData[]) => {
    const stream = freshName('payload');
    await server.append(stream, events);
    return (await server.read(stream)).map(({ event }) => event!);
  };

  describe('an event that is read', () => {
    it('has its stream, id, revision, type, data, metadata, time and position, and no link', async () => {
      const stream = freshName('shape');
      const event = counted(1, { metadata: { by: 'me' } });
      await server.append(stream, event);
      const [read] = await server.read(stream);
      expect(Object.keys(read!).toSorted()).toEqual(['commitPosition', 'event']);
      expect(read!.event).toEqual({
        streamId: stream,
        id: event.id,
        revision: 0n,
        type: 'Counted',
        isJson: true,
        data: { n: 1 },
        metadata: { by: 'me' },
        created: expect.any(Date) as Date,
        position: { commit: expect.any(BigInt) as bigint, prepare: expect.any(BigInt) as bigint },
      });
      expect(Math.abs(Date.now() - read!.event!.created.getTime())).toBeLessThan(60_000);
    });

    it('has the JSON that was written', async () => {
      const values = [{ a: { b: [1, 2.5, null, 'é 漢 😀'] } }, [1, 'x'], 'text', null] as unknown as string[];
      const events = await readBack(values.map((data) => jsonEvent({ type: 'J', data, metadata: { data } })));
      expect(events.map(({ data }) => data)).toEqual(values);
      expect(events.map(({ metadata }) => metadata)).toEqual(values.map((data) => ({ data })));
    });

    it('has the bytes that were written, and no metadata if none were written', async () => {
      const bytes = Uint8Array.from([0, 1, 128, 255]);
      const [full, empty, json] = await readBack([
        binaryEvent({ type: 'B', data: bytes }),
        binaryEvent({ type: 'B', data: new Uint8Array() }),
        counted(0),
      ]);
      expect(full).toMatchObject({ isJson: false, data: bytes, metadata: undefined });
      expect((empty!.data as Uint8Array).length).toBe(0);
      expect(json!.metadata).toBeUndefined();
    });

    it('has its metadata as bytes, unless they happen to be JSON', async () => {
      const [bytes, json] = await readBack([
        counted(0, { metadata: Uint8Array.from([255, 1]) }),
        counted(1, { metadata: new Uint8Array(Buffer.from('{"x":1}')) }),
      ]);
      expect(bytes!.metadata).toEqual(Uint8Array.from([255, 1]));
      expect(json!.metadata).toEqual({ x: 1 });
    });
  });
}
