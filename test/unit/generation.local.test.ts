import { describe, expect, it } from 'vitest';
import { v7 as uuid } from 'uuid';
import { memoryStream } from '../../src/domain/streams.ts';
import type { StreamName } from '../../src/ports/event-log.ts';
import { SqlUnavailable } from '../../src/ports/sql.ts';
import { EmbedderUnavailable } from '../../src/ports/embedder.ts';
import { CheckpointWriter } from '../../src/follow/checkpoint-writer.ts';
import { CheckpointMoved } from '../../src/follow/processor.ts';
import { Generation } from '../../src/projections/generation.ts';
import { skipParked } from '../../src/follow/parked-streams.ts';
import { storeTestMemory, testContext, updateTestMemory } from '../support/event-store.ts';
import { failing } from '../support/faulty-sql.ts';
import { Journal } from '../support/journal.ts';
import { beginLive, useJournalStore } from '../support/journal-store.ts';
import { storedEvent } from '../support/log-events.ts';

const test = useJournalStore();

const all = (after = 0) => test.store.readAll({ after, limit: 100 });
const stored = async (...texts: string[]): Promise<StreamName[]> => {
  const streams: StreamName[] = [];
  for (const content of texts) streams.push((await storeTestMemory(test, { content })).stream);
  return streams;
};
const updated = (stream: StreamName, content: string): Promise<void> =>
  updateTestMemory(test, stream, content);
const parked = () =>
  test.sql.query(`select name, stream, revision, position, type, error from follow.parked order by position`);
const refuse = (word: string) => {
  test.journal.onEvent = (text) => {
    if (text.includes(word)) throw new Error(`refuses ${text}`);
  };
};

describe('a page', () => {
  it('is written with its checkpoint', async () => {
    await stored('a', 'b');
    const page = await all();
    const state = await test.live.apply(page, await test.live.checkpoint());
    expect(state).toEqual({ partitions: ['log'], position: page.scannedTo, parked: new Set() });
    expect(await test.live.checkpoint()).toEqual(state);
    expect(await test.journal.texts(test.sql)).toEqual(['a', 'b']);
  });

  it('moves the checkpoint even if none of its events is handled', async () => {
    const { position } = await test.store.append(
      'links-acme.1',
      'any',
      [{ type: 'MemoriesLinked', data: { source: 'a', target: 'b', type: 'related', confidence: 1 } }],
      testContext(),
    );
    expect(await test.live.apply(await all(), await test.live.checkpoint())).toMatchObject({
      position: position,
    });
  });

  it('without handled events moves the checkpoint together with others, unless it was moved meanwhile', async () => {
    const other = new Journal('other');
    const second = await beginLive(test, other);
    const linked = { source: 'a', target: 'b', type: 'related', confidence: 1 } as const;
    await test.store.append('links-acme.1', 'any', [{ type: 'MemoriesLinked', data: linked }], testContext());
    const page = await all();
    const generations = [test.live, second];
    const states = await Promise.all(generations.map((generation) => generation.checkpoint()));
    expect(generations.map((generation, n) => generation.takesNothing(page, states[n]!))).toEqual([
      true,
      true,
    ]);
    const checkpointWriter = new CheckpointWriter(test.sql, { lingerMs: 1, restMs: 0 });
    let moves = 0;
    test.sql.fault = (statement) => {
      if (statement.includes('update follow.checkpoints')) moves++;
      return undefined;
    };
    const pass = () =>
      Promise.all(
        generations.map((generation, n) => checkpointWriter.pass(generation, states[n]!, page.scannedTo)),
      );
    const passed = await pass();
    expect(moves).toBe(1);
    expect(passed).toEqual(await Promise.all(generations.map((generation) => generation.checkpoint())));
    expect(passed.map(({ position }) => position)).toEqual([page.scannedTo, page.scannedTo]);
    await expect(pass()).rejects.toBeInstanceOf(CheckpointMoved);
  });

  it('is applied if it has a handled event, and always while a stream is parked', async () => {
    refuse('poison');
    await stored('a', 'poison');
    const page = await all();
    const before = await test.live.checkpoint();
    expect(test.live.takesNothing(page, before)).toBe(false);
    const after = await test.live.apply(page, before);
    expect([...after.parked]).toHaveLength(1);
    const nothing = { events: [], unreadable: [], scannedTo: page.scannedTo + 1 };
    expect(test.live.takesNothing(nothing, after)).toBe(false);
    expect(test.live.takesNothing(nothing, { ...after, parked: new Set() })).toBe(true);
    const poison = {
      ...page.events[0]!,
      type: 'MemoryStored',
      position: page.scannedTo + 1,
      error: new Error('broken'),
    };
    const unreadable = { ...nothing, unreadable: [poison] };
    expect(test.live.takesNothing(unreadable, { ...after, parked: new Set() })).toBe(false);
  });

  it('that was already written, completely or partly, is skipped', async () => {
    await stored('a', 'b');
    const first = await all();
    const state = await test.live.apply(first, await test.live.checkpoint());
    await stored('c');
    await test.live.apply(await all(), state);
    expect(await test.journal.texts(test.sql)).toEqual(['a', 'b', 'c']);
  });

  it.each(['before', 'after'] as const)(
    'is written once when the database goes away %s the write',
    async (fault) => {
      await stored('a');
      const page = await all();
      const state = await test.live.checkpoint();
      test.sql.fault = failing('insert into read.journal', fault);
      await expect(test.live.apply(page, state)).rejects.toBeInstanceOf(SqlUnavailable);
      expect(await test.journal.texts(test.sql)).toEqual([]);
      await test.live.apply(page, await test.live.checkpoint());
      expect(await test.journal.texts(test.sql)).toEqual(['a']);
      expect(await parked()).toEqual([]);
    },
  );

  it('waits for an unavailable embedder, and parks nothing', async () => {
    await stored('a');
    test.journal.onPrepare = () => Promise.reject(new EmbedderUnavailable('away'));
    await expect(test.live.apply(await all(), await test.live.checkpoint())).rejects.toBeInstanceOf(
      EmbedderUnavailable,
    );
    expect(await parked()).toEqual([]);
    expect(await test.live.checkpoint()).toMatchObject({ position: 0 });
  });
});

describe('a page that the database cannot write now', () => {
  it.each([
    ['the disk is full', '53100'],
    ['two transactions wait for each other', '40P01'],
    ['a file cannot be read', '58030'],
  ])('because %s comes again later: no stream is parked for it', async (message, code) => {
    await stored('a');
    test.journal.onEvent = () => {
      throw Object.assign(new Error(message), { code });
    };
    await expect(test.live.apply(await all(), await test.live.checkpoint())).rejects.toThrow(message);
    expect(await parked()).toEqual([]);
    expect(await test.live.checkpoint()).toMatchObject({ position: 0 });
  });
});

describe('a process that was overtaken', () => {
  it('writes nothing, because the checkpoint has moved', async () => {
    await stored('a');
    const page = await all();
    const zombie = await test.live.checkpoint();
    await new Generation(test.sql, test.journal, 1).apply(page, zombie);
    await expect(test.live.apply(page, zombie)).rejects.toBeInstanceOf(CheckpointMoved);
    expect(await test.journal.texts(test.sql)).toEqual(['a']);
  });

  it('parks nothing either', async () => {
    await stored('poison');
    const page = await all();
    const zombie = await test.live.checkpoint();
    await new Generation(test.sql, test.journal, 1).apply(page, zombie);
    refuse('poison');
    await expect(test.live.apply(page, zombie)).rejects.toBeInstanceOf(CheckpointMoved);
    expect(await parked()).toEqual([]);
  });

  it('writes nothing into a stream that was parked meanwhile', async () => {
    const [stream] = await stored('poison');
    const page = await all();
    const state = await test.live.checkpoint();
    await test.sql.query(
      `insert into follow.parked (name, generation, partition, stream, position, revision, type, error) values ('journal', 1, 'log', $1, 0, 0, '', '')`,
      [stream!],
    );
    await expect(test.live.apply(page, state)).rejects.toBeInstanceOf(CheckpointMoved);
    expect(await test.journal.texts(test.sql)).toEqual([]);
  });

  it('fails if its generation was dropped', async () => {
    await test.sql.query('delete from follow.checkpoints');
    await expect(test.live.checkpoint()).rejects.toBeInstanceOf(CheckpointMoved);
  });

  it('loses a race: only one writes, once', async () => {
    await stored('a', 'b');
    const page = await all();
    const state = await test.live.checkpoint();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => new Generation(test.sql, test.journal, 1).apply(page, state)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await test.journal.texts(test.sql)).toEqual(['a', 'b']);
  });
});

describe('a poison event', () => {
  it('parks only its stream: the page is applied, and later events of the stream wait', async () => {
    const [one, two] = await stored('a', 'poison');
    await updated(two!, 'waits');
    await updated(one!, 'b');
    refuse('poison');
    const page = await all();
    const state = await test.live.apply(page, await test.live.checkpoint());
    expect(state).toEqual({ partitions: ['log'], position: page.scannedTo, parked: new Set([two]) });
    await updated(two!, 'waits too');
    await stored('c');
    await test.live.apply(await all(state.position), state);
    expect(await test.journal.texts(test.sql)).toEqual(['a', 'b', 'c']);
    expect(await parked()).toMatchObject([
      { name: 'journal', stream: two, revision: 0, type: 'MemoryStored', error: 'refuses poison' },
    ]);
  });

  it('that cannot be read parks its stream too, in the order of the log', async () => {
    const [one] = await stored('a');
    const bad = memoryStream('acme', uuid());
    await test.log.append(bad, 'any', [
      storedEvent({ type: 'MemoryStored', data: 'nonsense', metadata: '{"tenant":"acme"}' }),
    ]);
    await updated(one!, 'b');
    const page = await all();
    const state = await test.live.apply(page, await test.live.checkpoint());
    expect(state).toEqual({ partitions: ['log'], position: page.scannedTo, parked: new Set([bad]) });
    expect(await test.journal.texts(test.sql)).toEqual(['a', 'b']);
    expect(await parked()).toMatchObject([
      { stream: bad, error: expect.stringMatching(/cannot be read/) as string },
    ]);
  });

  it('that cannot be read and was handled does not move the checkpoint back when it is delivered again', async () => {
    const bad = memoryStream('acme', uuid());
    await test.log.append(bad, 'any', [
      storedEvent({ type: 'MemoryStored', data: 'nonsense', metadata: '{"tenant":"acme"}' }),
    ]);
    await stored('a');
    const page = await all();
    await test.live.apply(page, await test.live.checkpoint());
    expect(await skipParked(test.live, test.store, bad, 0)).toBe(true);
    await test.live.apply(page, await test.live.checkpoint());
    expect(await test.live.checkpoint()).toEqual({
      partitions: ['log'],
      position: page.scannedTo,
      parked: new Set(),
    });
    expect(await test.journal.texts(test.sql)).toEqual(['a']);
  });

  it('behind slices that are already written is still found', async () => {
    const sliced = new Journal('sliced', 2);
    sliced.onEvent = (text) => {
      if (text === 'poison') throw new Error('refused');
    };
    const small = await beginLive(test, sliced);
    await stored('a', 'b', 'c', 'poison', 'd');
    const page = await all();
    const state = await small.apply(page, await small.checkpoint());
    expect(state.position).toBe(page.scannedTo);
    expect(state.parked.size).toBe(1);
    expect(await sliced.texts(test.sql)).toEqual(['a', 'b', 'c', 'd']);
  });
});
