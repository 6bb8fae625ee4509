import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { v7 as uuid } from 'uuid';
import { memoryStream } from '../../src/domain/streams.ts';
import type { StreamName } from '../../src/ports/event-log.ts';
import { SqlUnavailable } from '../../src/ports/sql.ts';
import { EmbedderUnavailable } from '../../src/ports/embedder.ts';
import { BookmarkMoved } from '../../src/projections/bookmarks.ts';
import { Generation } from '../../src/projections/generation.ts';
import { retryParked } from '../../src/projections/parked.ts';
import {
  createBeside,
  dropGeneration,
  ensureLive,
  readGenerations,
} from '../../src/projections/generations.ts';
import { memories } from '../../src/projections/memories/memories.ts';
import { RebuildWalk } from '../../src/projections/rebuild-walk.ts';
import {
  openTestStore,
  storeTestMemory,
  testContext,
  updateTestMemory,
  type TestStore,
} from '../support/event-store.ts';
import { failing } from '../support/faulty-sql.ts';
import { storedEvent } from '../support/log-events.ts';
import { Journal } from '../support/journal.ts';
import { dividedInto, followAll } from '../support/partitions.ts';
import { startAfresh } from '../support/read-models.ts';

let test: TestStore;
let journal: Journal;
let generation: Generation;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

beforeEach(async () => {
  test.sql.fault = () => undefined;
  await startAfresh(test);
  journal = new Journal('journal');
  generation = await live(journal);
});

async function live(projection: Journal): Promise<Generation> {
  await ensureLive(test.sql, projection);
  return new Generation(test.sql, projection, 1);
}

const all = (after = 0) => test.store.readAll({ after, limit: 100 });
const stored = async (...texts: string[]): Promise<StreamName[]> => {
  const streams: StreamName[] = [];
  for (const content of texts) streams.push((await storeTestMemory(test, { content })).stream);
  return streams;
};
const updated = (stream: StreamName, content: string): Promise<void> =>
  updateTestMemory(test, stream, content);
const parked = () =>
  test.sql.query(`select name, stream, revision, position, type, error from read.parked order by position`);
const refuse = (word: string) => {
  journal.onEvent = (text) => {
    if (text.includes(word)) throw new Error(`refuses ${text}`);
  };
};

describe('a page', () => {
  it('is written with its bookmark', async () => {
    await stored('a', 'b');
    const page = await all();
    const standing = await generation.apply(page, await generation.standing());
    expect(standing).toEqual({ partitions: ['log'], bookmark: page.scannedTo, parked: new Set() });
    expect(await generation.standing()).toEqual(standing);
    expect(await journal.texts(test.sql)).toEqual(['a', 'b']);
  });

  it('moves the bookmark also where nothing in it matters', async () => {
    const { position } = await test.store.append(
      'links-acme.1',
      'any',
      [{ type: 'MemoriesLinked', data: { source: 'a', target: 'b', type: 'related', confidence: 1 } }],
      testContext(),
    );
    expect(await generation.apply(await all(), await generation.standing())).toMatchObject({
      bookmark: position,
    });
  });

  it('that was written already, in whole or in part, is left out', async () => {
    await stored('a', 'b');
    const first = await all();
    const standing = await generation.apply(first, await generation.standing());
    await stored('c');
    await generation.apply(await all(), standing);
    expect(await journal.texts(test.sql)).toEqual(['a', 'b', 'c']);
  });

  it.each(['before', 'after'] as const)(
    'is written once when the database goes away %s the write',
    async (fault) => {
      await stored('a');
      const page = await all();
      const standing = await generation.standing();
      test.sql.fault = failing('insert into read.journal', fault);
      await expect(generation.apply(page, standing)).rejects.toBeInstanceOf(SqlUnavailable);
      expect(await journal.texts(test.sql)).toEqual([]);
      await generation.apply(page, await generation.standing());
      expect(await journal.texts(test.sql)).toEqual(['a']);
      expect(await parked()).toEqual([]);
    },
  );

  it('waits for an embedder that is away, and parks nothing', async () => {
    await stored('a');
    journal.onPrepare = () => Promise.reject(new EmbedderUnavailable('away'));
    await expect(generation.apply(await all(), await generation.standing())).rejects.toBeInstanceOf(
      EmbedderUnavailable,
    );
    expect(await parked()).toEqual([]);
    expect(await generation.standing()).toMatchObject({ bookmark: 0 });
  });
});

describe('a page that the database cannot take now', () => {
  it.each([
    ['the disk is full', '53100'],
    ['two transactions wait for each other', '40P01'],
    ['a file cannot be read', '58030'],
  ])('because %s comes again later: no stream is parked for it', async (message, code) => {
    await stored('a');
    journal.onEvent = () => {
      throw Object.assign(new Error(message), { code });
    };
    await expect(generation.apply(await all(), await generation.standing())).rejects.toThrow(message);
    expect(await parked()).toEqual([]);
    expect(await generation.standing()).toMatchObject({ bookmark: 0 });
  });
});

describe('a process that was overtaken', () => {
  it('writes nothing: the bookmark is not where it read it', async () => {
    await stored('a');
    const page = await all();
    const zombie = await generation.standing();
    await new Generation(test.sql, journal, 1).apply(page, zombie);
    await expect(generation.apply(page, zombie)).rejects.toBeInstanceOf(BookmarkMoved);
    expect(await journal.texts(test.sql)).toEqual(['a']);
  });

  it('parks nothing either', async () => {
    await stored('poison');
    const page = await all();
    const zombie = await generation.standing();
    await new Generation(test.sql, journal, 1).apply(page, zombie);
    refuse('poison');
    await expect(generation.apply(page, zombie)).rejects.toBeInstanceOf(BookmarkMoved);
    expect(await parked()).toEqual([]);
  });

  it('writes nothing into a stream that was parked meanwhile', async () => {
    const [stream] = await stored('poison');
    const page = await all();
    const standing = await generation.standing();
    await test.sql.query(
      `insert into read.parked (name, generation, partition, stream, position, revision, type, error) values ('journal', 1, 'log', $1, 0, 0, '', '')`,
      [stream!],
    );
    await expect(generation.apply(page, standing)).rejects.toBeInstanceOf(BookmarkMoved);
    expect(await journal.texts(test.sql)).toEqual([]);
  });

  it('is told when its generation is gone', async () => {
    await test.sql.query('delete from read.bookmarks');
    await expect(generation.standing()).rejects.toBeInstanceOf(BookmarkMoved);
  });

  it('loses the race of many: one writes, once', async () => {
    await stored('a', 'b');
    const page = await all();
    const standing = await generation.standing();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => new Generation(test.sql, journal, 1).apply(page, standing)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await journal.texts(test.sql)).toEqual(['a', 'b']);
  });
});

describe('a poison event', () => {
  it('parks its stream alone; the page goes through, later events of the stream wait', async () => {
    const [one, two] = await stored('a', 'poison');
    await updated(two!, 'waits');
    await updated(one!, 'b');
    refuse('poison');
    const page = await all();
    const standing = await generation.apply(page, await generation.standing());
    expect(standing).toEqual({ partitions: ['log'], bookmark: page.scannedTo, parked: new Set([two]) });
    await updated(two!, 'waits too');
    await stored('c');
    await generation.apply(await all(standing.bookmark), standing);
    expect(await journal.texts(test.sql)).toEqual(['a', 'b', 'c']);
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
    const standing = await generation.apply(page, await generation.standing());
    expect(standing).toEqual({ partitions: ['log'], bookmark: page.scannedTo, parked: new Set([bad]) });
    expect(await journal.texts(test.sql)).toEqual(['a', 'b']);
    expect(await parked()).toMatchObject([
      { stream: bad, error: expect.stringMatching(/cannot be read/) as string },
    ]);
  });

  it('that cannot be read and was dealt with does not move the bookmark back when it comes again', async () => {
    const bad = memoryStream('acme', uuid());
    await test.log.append(bad, 'any', [
      storedEvent({ type: 'MemoryStored', data: 'nonsense', metadata: '{"tenant":"acme"}' }),
    ]);
    await stored('a');
    const page = await all();
    await generation.apply(page, await generation.standing());
    await retryParked(generation, bad, [], page.scannedTo);
    await generation.apply(page, await generation.standing());
    expect(await generation.standing()).toEqual({
      partitions: ['log'],
      bookmark: page.scannedTo,
      parked: new Set(),
    });
    expect(await journal.texts(test.sql)).toEqual(['a']);
  });

  it('behind slices that are written already is found all the same', async () => {
    const sliced = new Journal('sliced', 2);
    sliced.onEvent = (text) => {
      if (text === 'poison') throw new Error('refused');
    };
    const small = await live(sliced);
    await stored('a', 'b', 'c', 'poison', 'd');
    const page = await all();
    const standing = await small.apply(page, await small.standing());
    expect(standing.bookmark).toBe(page.scannedTo);
    expect(standing.parked.size).toBe(1);
    expect(await sliced.texts(test.sql)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('does not stop a rebuild, which parks it as the live generation does', async () => {
    const sliced = new Journal('sliced', 2);
    sliced.onEvent = (text) => {
      if (text === 'poison') throw new Error('refused');
    };
    const small = await live(sliced);
    await stored('a', 'b', 'c', 'poison', 'd');
    await small.apply(await all(), await small.standing());
    const rebuilt = await createBeside(test.sql, sliced);
    const result = await new RebuildWalk(test.sql, test.store, new AbortController().signal).fill(rebuilt);
    expect(result.digest).toBe(result.liveDigest);
    expect(await sliced.texts(test.sql, 2)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('rebuilds that walk together', () => {
  const walk = () => new RebuildWalk(test.sql, test.store, new AbortController().signal);

  it('each equal their live generation, also where the log and the database go away meanwhile', async () => {
    const other = new Journal('other');
    const second = await live(other);
    await stored('a', 'b', 'c');
    for (const one of [generation, second]) await one.apply(await all(), await one.standing());
    const besides = [await createBeside(test.sql, journal), await createBeside(test.sql, other)];
    const outages = ['from log.events', 'update read.bookmarks'];
    test.sql.fault = (statement) => {
      const met = outages.findIndex((text) => statement.includes(text));
      if (met < 0) return undefined;
      outages.splice(met, 1);
      return 'before';
    };
    const together = walk();
    const results = await Promise.all(besides.map((beside) => together.fill(beside)));
    expect(outages).toEqual([]);
    expect(results.map(({ projection, digest, liveDigest }) => [projection, digest === liveDigest])).toEqual([
      ['journal', true],
      ['other', true],
    ]);
    expect(await other.texts(test.sql, 2)).toEqual(['a', 'b', 'c']);
  });

  it('end where another rebuild dropped their generation, and the others go on', async () => {
    const other = new Journal('other');
    const second = await live(other);
    await stored('a', 'b');
    for (const one of [generation, second]) await one.apply(await all(), await one.standing());
    const besides = [await createBeside(test.sql, journal), await createBeside(test.sql, other)];
    journal.onEvent = () => {
      throw new SqlUnavailable('for as long as it is asked');
    };
    const together = walk();
    const [first, last] = besides.map((beside) => together.fill(beside));
    const ended = expect(first).rejects.toBeInstanceOf(BookmarkMoved);
    await dropGeneration(test.sql, journal, besides[0]!.number);
    await ended;
    expect((await last!).projection).toBe('other');
  });
});

describe('a rebuild whose live generation moves each partition by itself', () => {
  const divided = dividedInto(3);
  let live: Generation;
  let compared: number;

  /** The live generation has the memory; in the log it is erased, and its key is destroyed. */
  beforeEach(async () => {
    await ensureLive(test.sql, memories, divided);
    live = new Generation(test.sql, memories, 1, divided);
    const { stream, value, key } = await storeTestMemory(test, { content: 'to be erased' });
    await followAll(test, live);
    await test.store.append(
      stream,
      'exists',
      [{ type: 'MemoryErased', data: { memoryId: value.id, keyId: key.id } }],
      testContext(),
    );
    await test.vault.destroy(key.tenant, key.id);
    compared = 0;
    test.sql.fault = (statement) => {
      if (statement.includes('as digests')) compared++;
      return undefined;
    };
  });

  const fill = async () =>
    new RebuildWalk(test.sql, test.store, new AbortController().signal).fill(
      await createBeside(test.sql, memories, divided),
    );

  it('waits for an erasure that the live one has not applied yet, although its key is gone', async () => {
    const filled = fill();
    await expect.poll(() => compared).toBeGreaterThan(0);
    expect(await stateOfRebuild()).toBe('building');
    await followAll(test, live);
    const { digest, liveDigest } = await filled;
    expect(digest).toBe(liveDigest);
    expect(await stateOfRebuild()).toBe('ready');
  });

  it('says that they differ where nothing in the log explains it', async () => {
    await followAll(test, live);
    await storeTestMemory(test);
    await followAll(test, live);
    await test.sql.query(`update ${live.tables('memories')} set state = 'deleted'`);
    const { digest, liveDigest } = await fill();
    expect(digest).not.toBe(liveDigest);
    expect(await stateOfRebuild()).toBe('ready');
  });

  async function stateOfRebuild(): Promise<string> {
    const rows = await readGenerations(test.sql);
    return rows.find(({ name, generation }) => name === 'memories' && generation === 2)!.state;
  }
});
