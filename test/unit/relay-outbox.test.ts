import { beforeEach, describe, expect, it } from 'vitest';
import type { OutgoingRecord, Transport } from '../../src/ports/transport.ts';
import { Outbox } from '../../src/relay/outbox.ts';

interface Publishing {
  readonly records: readonly OutgoingRecord[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const never = new AbortController().signal;
const batch = (name: string, value = ''): OutgoingRecord[] => [{ topic: 't', key: name, value, headers: {} }];
const megabytes = (count: number): string => 'x'.repeat(count * 1024 * 1024);
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('[G2] the outbox of the relay', () => {
  let published: Publishing[];
  let written: string[];
  let outbox: Outbox;

  beforeEach(() => {
    published = [];
    written = [];
    const publish = (records: readonly OutgoingRecord[]): Promise<void> =>
      records.length === 0
        ? Promise.resolve()
        : new Promise((resolve, reject) => void published.push({ records, resolve, reject }));
    outbox = new Outbox({ publish } as Partial<Transport> as Transport);
  });

  const put = (name: string, records = batch(name)): void =>
    outbox.put(records, () => void written.push(name));

  it('sends the next batch without waiting for an acknowledgement', async () => {
    put('one');
    put('two');
    expect(published).toHaveLength(2);
    expect(written).toEqual([]);
  });

  it('reports a batch, even an empty one, as written only after all earlier ones', async () => {
    put('one');
    put('two');
    put('nothing', []);
    published[1]!.resolve();
    await turn();
    expect(written).toEqual([]);
    published[0]!.resolve();
    await turn();
    expect(written).toEqual(['one', 'two', 'nothing']);
  });

  it('sends nothing after a failed batch, and reports nothing after it as written', async () => {
    put('one');
    put('two');
    put('three');
    published[0]!.resolve();
    const failure = new Error('the brokers are away');
    published[1]!.reject(failure);
    published[2]!.resolve();
    await turn();
    put('four');
    await turn();
    expect(published).toHaveLength(3);
    expect(written).toEqual(['one']);
    expect(outbox.failed.reason).toBe(failure);
    await outbox.settled(10_000);
  });

  it('is limited to some megabytes', async () => {
    put('small');
    await outbox.room(never);
    put('large', batch('large', megabytes(9)));
    let room = false;
    const waiting = outbox.room(never).then(() => (room = true));
    published[0]!.resolve();
    await turn();
    expect(room).toBe(false);
    published[1]!.resolve();
    await waiting;
    expect(written).toEqual(['small', 'large']);
  });

  it('waits for space and for the remaining batches only as long as allowed', async () => {
    put('large', batch('large', megabytes(9)));
    await outbox.room(AbortSignal.abort());
    await outbox.settled(20);
    expect(written).toEqual([]);
  });
});
