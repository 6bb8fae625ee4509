import { describe, expect, it } from 'vitest';
import { WrongExpectedRevision, type ExpectedRevision, type StreamName } from '../../src/ports/event-log.ts';
import {
  freshCategory,
  freshStream,
  ids,
  revisions,
  storedEvent,
  storedEvents,
  type ContractLog,
} from '../support/log-events.ts';

/** Expectations and results of appends, and that every byte is kept. */
export function appendContract(contract: ContractLog): void {
  const refusal = async (stream: StreamName, expected: ExpectedRevision): Promise<WrongExpectedRevision> => {
    const before = await contract.log.readStream(stream);
    const error: unknown = await contract.log
      .append(stream, expected, storedEvents(2))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WrongExpectedRevision);
    expect(await contract.log.readStream(stream)).toEqual(before);
    return error as WrongExpectedRevision;
  };

  describe('an append', () => {
    it('returns the revision, position and time of its last event', async () => {
      const stream = freshStream();
      const result = await contract.log.append(stream, 'noStream', storedEvents(3));
      const last = (await contract.log.readStream(stream)).at(-1)!;
      expect(result).toEqual({ revision: 2, position: last.position, time: last.time, repeated: false });
      expect(await contract.log.head()).toBe(result.position);
    });

    it('records each event unchanged, with its revision and position', async () => {
      const stream = freshStream();
      const events = storedEvents(3, { type: 'Weighed', schemaVersion: 7, metadata: '{"tenant":"acme"}' });
      const { position } = await contract.log.append(stream, 'noStream', events);
      const recorded = await contract.log.readStream(stream);
      expect(recorded).toEqual(
        events.map((event, index) => ({
          ...event,
          stream,
          revision: index,
          position: expect.any(Number) as number,
          time: expect.any(Date) as Date,
        })),
      );
      const positions = recorded.map((event) => event.position);
      expect(positions).toEqual(positions.toSorted((left, right) => left - right));
      expect(new Set(positions).size).toBe(3);
      expect(positions.at(-1)).toBe(position);
    });

    it('continues at the stream’s last revision, independent of other streams', async () => {
      const [one, other] = [freshStream(), freshStream()];
      await contract.log.append(one, 'noStream', storedEvents(2));
      await contract.log.append(other, 'noStream', storedEvents(5));
      expect((await contract.log.append(one, 1, storedEvents(3))).revision).toBe(4);
      expect(revisions(await contract.log.readStream(one))).toEqual([0, 1, 2, 3, 4]);
    });

    it('without events is an error and creates nothing', async () => {
      const stream = freshStream();
      await expect(contract.log.append(stream, 'any', [])).rejects.toThrow(/at least one event/);
      expect(await contract.log.readStream(stream)).toEqual([]);
    });

    it('stores several events of 900,000 bytes at once', async () => {
      const stream = freshStream();
      const text = 'ä€😀\\"\n'.repeat(90_000);
      const events = storedEvents(3, { data: JSON.stringify({ text }) });
      expect(Buffer.byteLength(events[0]!.data)).toBeGreaterThan(900_000);
      await contract.log.append(stream, 'noStream', events);
      const recorded = await contract.log.readStream(stream);
      // Not toEqual, which would print the whole difference.
      expect(recorded.map(({ data }) => data === events[0]!.data)).toEqual([true, true, true]);
    });

    it.each([
      ['white space and key order', '{ "b" : 1,\n\t"a":2, "b":3 }'],
      ['numbers beyond double precision', '{"n":12345678901234567890.10,"e":1e400}'],
      ['escapes as they were written', '{"s":"\\u00e9\\u0000\\ud800\\/"}'],
      ['characters of every plane', JSON.stringify({ s: 'a\u0301 é 漢 😀 \u2028 \u202e \ufffe \u{10ffff}' })],
      ['ciphertext that looks like SQL', `{"sealed":"'); drop table events; -- $1 ??"}`],
    ])('keeps JSON byte for byte: %s', async (_, json) => {
      const stream = freshStream();
      await contract.log.append(stream, 'noStream', [storedEvent({ data: json, metadata: json })]);
      const [recorded] = await contract.log.readStream(stream);
      expect([recorded!.data, recorded!.metadata]).toEqual([json, json]);
    });
  });

  describe('an append that expects', () => {
    it('no stream is rejected with the revision of an existing stream', async () => {
      const stream = freshStream();
      await contract.log.append(stream, 'noStream', storedEvents(2));
      expect(await refusal(stream, 'noStream')).toMatchObject({ stream, expected: 'noStream', actual: 1 });
    });

    it('a stream is rejected if it does not exist', async () => {
      const stream = freshStream();
      expect(await refusal(stream, 'exists')).toMatchObject({
        stream,
        expected: 'exists',
        actual: undefined,
      });
      await contract.log.append(stream, 'noStream', storedEvents(1));
      expect((await contract.log.append(stream, 'exists', storedEvents(1))).revision).toBe(1);
    });

    it('a revision is rejected for a stream with an earlier one, a later one or no events', async () => {
      const stream = freshStream();
      expect(await refusal(stream, 0)).toMatchObject({ stream, expected: 0, actual: undefined });
      await contract.log.append(stream, 'noStream', storedEvents(3));
      expect(await refusal(stream, 1)).toMatchObject({ stream, expected: 1, actual: 2 });
      expect(await refusal(stream, 3)).toMatchObject({ stream, expected: 3, actual: 2 });
      expect((await contract.log.append(stream, 2, storedEvents(1))).revision).toBe(3);
    });

    it('anything is accepted for a new and for an existing stream', async () => {
      const stream = freshStream();
      expect((await contract.log.append(stream, 'any', storedEvents(2))).revision).toBe(1);
      expect((await contract.log.append(stream, 'any', storedEvents(2))).revision).toBe(3);
    });

    it('a revision is not confused by a stream with a similar name', async () => {
      const category = freshCategory();
      const stream: StreamName = `${category}-acme.a`;
      await contract.log.append(`${category}-acme.A`, 'noStream', storedEvents(1));
      await contract.log.append(`${category}-acme.a `, 'noStream', storedEvents(1));
      await contract.log.append(`${category}-acm.ea`, 'noStream', storedEvents(1));
      await contract.log.append(`${category}-acme.\u0430`, 'noStream', storedEvents(1));
      expect((await contract.log.append(stream, 'noStream', storedEvents(1))).revision).toBe(0);
    });
  });

  describe('concurrent appends', () => {
    it('with no expectation follow the existing events of each stream, each contiguous', async () => {
      const category = freshCategory();
      const streams = Array.from({ length: 9 }, () => freshStream(category));
      // Every third stream exists already, with one, two and three events.
      for (const n of [0, 3, 6]) await contract.log.append(streams[n]!, 'noStream', storedEvents(1 + n / 3));
      const after = (await contract.log.readAll({ after: 0, limit: 100, filter: { categories: [category] } }))
        .scannedTo;
      const batches = streams.map((_, n) => storedEvents(1 + (n % 4)));
      const results = await Promise.all(
        streams.map((stream, n) => contract.log.append(stream, 'any', batches[n]!)),
      );
      const before = (n: number) => (n % 3 === 0 ? 1 + n / 3 : 0);
      for (const [n, stream] of streams.entries()) {
        const events = await contract.log.readStream(stream);
        expect(revisions(events)).toEqual(events.map((_, index) => index));
        expect(ids(events.slice(before(n)))).toEqual(ids(batches[n]!));
        const { revision, position, time } = events.at(-1)!;
        expect(results[n]).toEqual({ revision, position, time, repeated: false });
      }
      const filter = { categories: [category] };
      const page = await contract.log.readAll({ after, limit: 100, filter });
      // Each stays contiguous. Appends that are not grouped may overtake each other.
      const written = page.events.map(({ id }) => id);
      for (const batch of batches)
        expect(written.slice(written.indexOf(batch[0]!.id)).slice(0, batch.length)).toEqual(ids(batch));
      expect(written).toHaveLength(batches.flat().length);
    });

    it('with no expectation write a repeated append only once and return its first result', async () => {
      const streams = Array.from({ length: 4 }, () => freshStream());
      const batches = streams.map(() => storedEvents(2));
      const first = await contract.log.append(streams[1]!, 'any', batches[1]!);
      const results = await Promise.all(
        streams.map((stream, n) => contract.log.append(stream, 'any', batches[n]!)),
      );
      expect(results.map(({ repeated }) => repeated)).toEqual([false, true, false, false]);
      expect(results[1]).toEqual({ ...first, repeated: true });
      for (const [n, stream] of streams.entries())
        expect(ids(await contract.log.readStream(stream))).toEqual(ids(batches[n]!));
    });

    it('with no expectation for the same stream are all written, each contiguous', async () => {
      const stream = freshStream();
      const batches = Array.from({ length: 6 }, () => storedEvents(2));
      const results = await Promise.all(batches.map((batch) => contract.log.append(stream, 'any', batch)));
      const events = await contract.log.readStream(stream);
      expect(revisions(events)).toEqual(Array.from({ length: 12 }, (_, n) => n));
      for (const [n, batch] of batches.entries())
        expect(ids(events.slice(results[n]!.revision - 1, results[n]!.revision + 1))).toEqual(ids(batch));
    });

    it('are atomic each: a rejected one writes none of its events, the others all of theirs', async () => {
      const streams = [freshStream(), freshStream(), freshStream()] as const;
      const outcomes = await Promise.allSettled([
        contract.log.append(streams[0], 'noStream', storedEvents(2)),
        contract.log.append(streams[1], 5, storedEvents(2)),
        contract.log.append(streams[2], 'noStream', storedEvents(2)),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      const lengths = streams.map(async (stream) => (await contract.log.readStream(stream)).length);
      expect(await Promise.all(lengths)).toEqual([2, 0, 2]);
    });

    it('to one stream at the same revision have one winner', async () => {
      const stream = freshStream();
      const rivals = Array.from({ length: 8 }, () => storedEvents(2));
      const outcomes = await Promise.allSettled(
        rivals.map((events) => contract.log.append(stream, 'noStream', events)),
      );
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(WrongExpectedRevision);
      expect(ids(await contract.log.readStream(stream))).toEqual(ids(rivals[winner]!));
    });
  });
}
