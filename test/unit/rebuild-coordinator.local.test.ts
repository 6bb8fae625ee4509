import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { EmbedderUnavailable } from '../../src/ports/embedder.ts';
import type { EventStore } from '../../src/ports/event-store.ts';
import { SqlUnavailable } from '../../src/ports/sql.ts';
import { CheckpointMoved } from '../../src/follow/processor.ts';
import { Generation } from '../../src/projections/generation.ts';
import { dropGeneration } from '../../src/projections/drop-generation.ts';
import { createBeside, ensureLive, readGenerations } from '../../src/projections/generations.ts';
import { memories } from '../../src/projections/memories/memories.ts';
import { RebuildCoordinator } from '../../src/projections/rebuild-coordinator.ts';
import { storeTestMemory, testContext } from '../support/event-store.ts';
import { Journal } from '../support/journal.ts';
import { beginLive, useJournalStore } from '../support/journal-store.ts';
import { dividedInto, followAll } from '../support/partitions.ts';

const test = useJournalStore();

const all = () => test.store.readAll({ after: 0, limit: 100 });
const stored = async (...texts: string[]): Promise<void> => {
  for (const content of texts) await storeTestMemory(test, { content });
};
const coordinator = () => new RebuildCoordinator(test.sql, test.store, new AbortController().signal);

describe('a rebuild', () => {
  it('parks the streams that the live generation parks, and continues', async () => {
    const sliced = new Journal('sliced', 2);
    sliced.onEvent = (text) => {
      if (text === 'poison') throw new Error('refused');
    };
    const small = await beginLive(test, sliced);
    await stored('a', 'b', 'c', 'poison', 'd');
    await small.apply(await all(), await small.checkpoint());
    const rebuilt = await createBeside(test.sql, sliced);
    const result = await coordinator().fill(rebuilt);
    expect(result.digest).toBe(result.liveDigest);
    expect(await sliced.texts(test.sql, 2)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('rebuilds at the same time', () => {
  it('each equal their live generation, even if the log and the database are down for a while', async () => {
    const other = new Journal('other');
    const second = await beginLive(test, other);
    await stored('a', 'b', 'c');
    for (const one of [test.live, second]) await one.apply(await all(), await one.checkpoint());
    const besides = [await createBeside(test.sql, test.journal), await createBeside(test.sql, other)];
    const outages = ['from log.events', 'update follow.checkpoints'];
    test.sql.fault = (statement) => {
      const met = outages.findIndex((text) => statement.includes(text));
      if (met < 0) return undefined;
      outages.splice(met, 1);
      return 'before';
    };
    const together = coordinator();
    const results = await Promise.all(besides.map((beside) => together.fill(beside)));
    expect(outages).toEqual([]);
    expect(results.map(({ projection, digest, liveDigest }) => [projection, digest === liveDigest])).toEqual([
      ['journal', true],
      ['other', true],
    ]);
    expect(await other.texts(test.sql, 2)).toEqual(['a', 'b', 'c']);
  });

  it('[F4] run up to four pages ahead of one that is busy', async () => {
    const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const other = new Journal('other');
    const second = await beginLive(test, other);
    await stored(...texts);
    for (const one of [test.live, second]) await one.apply(await all(), await one.checkpoint());
    const besides = [await createBeside(test.sql, test.journal), await createBeside(test.sql, other)];
    let goOn!: () => void;
    const atWork = new Promise<void>((resolve) => (goOn = resolve));
    test.journal.onPrepare = () => atWork;
    const pageOfOne = {
      ...test.store,
      readAll: (options) => test.store.readAll({ ...options, limit: 1 }),
    } as EventStore;
    const together = new RebuildCoordinator(test.sql, pageOfOne, new AbortController().signal);
    const results = besides.map((beside) => together.fill(beside));
    await vi.waitFor(async () => expect(await other.texts(test.sql, 2)).toEqual(texts.slice(0, 5)));
    await sleep(100);
    expect(await other.texts(test.sql, 2)).toEqual(texts.slice(0, 5));
    goOn();
    for (const { digest, liveDigest } of await Promise.all(results)) expect(digest).toBe(liveDigest);
    for (const journal of [test.journal, other]) expect(await journal.texts(test.sql, 2)).toEqual(texts);
  });

  it('end if another rebuild dropped their generation, and the others continue', async () => {
    const other = new Journal('other');
    const second = await beginLive(test, other);
    await stored('a', 'b');
    for (const one of [test.live, second]) await one.apply(await all(), await one.checkpoint());
    const besides = [await createBeside(test.sql, test.journal), await createBeside(test.sql, other)];
    test.journal.onEvent = () => {
      throw new SqlUnavailable('for as long as it is asked');
    };
    const together = coordinator();
    const [first, last] = besides.map((beside) => together.fill(beside));
    const ended = expect(first).rejects.toBeInstanceOf(CheckpointMoved);
    await dropGeneration(test.sql, test.journal, besides[0]!.number);
    await ended;
    expect((await last!).projection).toBe('other');
  });
});

describe('a stalled rebuild', () => {
  const other = new Journal('other');
  let failures: unknown[];
  let fresh: Generation;
  let beside: Generation;

  /** Two concurrent rebuilds of a log with events. */
  beforeEach(async () => {
    failures = [];
    const second = await beginLive(test, other);
    await stored('a', 'b');
    for (const one of [test.live, second]) await one.apply(await all(), await one.checkpoint());
    fresh = await createBeside(test.sql, test.journal);
    beside = await createBeside(test.sql, other);
  });

  const telling = () =>
    new RebuildCoordinator(
      test.sql,
      test.store,
      new AbortController().signal,
      (...what) => void failures.push(what),
    );

  const stateOfFresh = async () => {
    const rows = await readGenerations(test.sql);
    return rows.find(({ name, generation }) => name === 'journal' && generation === fresh.number)!;
  };

  it('[F4] [F5] shows the cause and the time, reports it once, does not delay others, and continues when it can', async () => {
    let reason: string | undefined = 'the model is away';
    test.journal.onPrepare = async () => {
      if (reason !== undefined) throw new EmbedderUnavailable(reason);
    };
    const together = telling();
    const before = Date.now();
    const first = together.fill(fresh);
    expect((await together.fill(beside)).projection).toBe('other');
    const waits = await stateOfFresh();
    expect(waits).toMatchObject({ state: 'building', error: 'the model is away' });
    expect(waits.failingSince!.getTime()).toBeGreaterThan(before - 5_000);
    // It is retried during this time.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(failures).toEqual([['journal', new EmbedderUnavailable('the model is away')]]);
    reason = 'the model answers nonsense';
    await expect
      .poll(async () => (await stateOfFresh()).error, { timeout: 10_000 })
      .toBe('the model answers nonsense');
    expect((await stateOfFresh()).failingSince).toEqual(waits.failingSince);
    expect(failures).toHaveLength(2);
    reason = undefined;
    const { digest, liveDigest } = await first;
    expect(digest).toBe(liveDigest);
    expect(await stateOfFresh()).toMatchObject({ state: 'ready', error: null, failingSince: null });
    expect(failures).toHaveLength(2);
  }, 30_000);

  it('[F4] does not delay others during a long step', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    test.journal.onPrepare = () => released;
    const together = telling();
    const first = together.fill(fresh);
    expect((await together.fill(beside)).projection).toBe('other');
    release();
    expect((await first).projection).toBe('journal');
    expect(failures).toEqual([]);
  }, 30_000);

  it('[F4] ends at once when it is no longer wanted, and the others continue', async () => {
    test.journal.onPrepare = async () => {
      throw new EmbedderUnavailable('the model is away');
    };
    const together = telling();
    const first = together.fill(fresh);
    const ended = expect(first).rejects.toThrow('given up');
    await expect.poll(async () => (await stateOfFresh()).error).toBe('the model is away');
    together.end(fresh, new Error('given up'));
    await ended;
    await dropGeneration(test.sql, test.journal, fresh.number);
    expect((await together.fill(beside)).projection).toBe('other');
  });
});

describe('a rebuild whose live generation follows each partition separately', () => {
  const divided = dividedInto(3);
  let live: Generation;
  let compared: number;

  /** The live generation still has the memory, but in the log it is erased, and its key is destroyed. */
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

  const fill = async () => coordinator().fill(await createBeside(test.sql, memories, divided));

  it('waits for an erasure that the live generation has not applied yet, although the key is gone', async () => {
    const filled = fill();
    await expect.poll(() => compared).toBeGreaterThan(0);
    expect(await stateOfRebuild()).toBe('building');
    await followAll(test, live);
    const { digest, liveDigest } = await filled;
    expect(digest).toBe(liveDigest);
    expect(await stateOfRebuild()).toBe('ready');
  });

  it('reports a difference that nothing in the log explains', async () => {
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
