import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SealedEventStore } from '../../src/adapters/eventstore/sealed-event-store.ts';
import type { StratalogEvent } from '../../src/domain/events/registry.ts';
import type { StreamName } from '../../src/ports/event-log.ts';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { EmbedderUnavailable } from '../../src/ports/embedder.ts';
import { WakeUp } from '../../src/ports/wake-up.ts';
import { ProjectionRunner } from '../../src/projections/runner.ts';
import { openTestStore, storeTestMemory, updateTestMemory, type TestStore } from '../support/event-store.ts';
import { Journal } from '../support/journal.ts';
import { startAfresh } from '../support/read-models.ts';

let test: TestStore;
let journal: Journal;
let errors: [string, unknown][];
const runners: ProjectionRunner[] = [];

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

beforeEach(async () => {
  await startAfresh(test);
  await test.sql.query('truncate control.leases');
  journal = new Journal('journal');
  errors = [];
});

afterEach(async () => {
  test.sql.fault = () => undefined;
  await Promise.all(runners.splice(0).map((runner) => runner.stop()));
});

async function start(
  projections: readonly Journal[] = [journal],
  holder = 'one',
  store: SealedEventStore = test.store,
): Promise<ProjectionRunner> {
  const { sql } = test;
  const onError = (projection: string, error: unknown) => void errors.push([projection, error]);
  const runner = new ProjectionRunner({ sql, store, projections, progress: new WakeUp(), holder, onError });
  runners.push(runner);
  await runner.start();
  return runner;
}

const store = async (content: string): Promise<StreamName> =>
  (await storeTestMemory(test, { content })).stream;
const update = (stream: StreamName, content: string): Promise<void> =>
  updateTestMemory(test, stream, content);
const written = (of = journal) => expect.poll(() => of.texts(test.sql), { timeout: 15_000 });
const bookmark = async (of = journal): Promise<number> => {
  const [row] = await test.sql.query<{ bookmark: number }>(
    'select bookmark from read.generations where name = $1 and generation = 1',
    [of.name],
  );
  return row!.bookmark;
};
const caughtUp = async (of = journal) => {
  const head = await test.log.head();
  await expect.poll(() => bookmark(of), { timeout: 15_000 }).toBe(head);
};

describe('the runner', () => {
  it('brings a new projection up with the log and keeps it there', async () => {
    await store('a');
    await start();
    await written().toEqual(['a']);
    const stream = await store('b');
    await update(stream, 'c');
    await written().toEqual(['a', 'b', 'c']);
  });

  it('goes on where it stopped', async () => {
    const first = await start();
    await store('a');
    await written().toEqual(['a']);
    await first.stop();
    await store('b');
    await start();
    await written().toEqual(['a', 'b']);
  });

  it('lets each projection go at its own pace: one that fails holds no other up', async () => {
    const other = new Journal('other');
    journal.onPrepare = () => Promise.reject(new EmbedderUnavailable('away'));
    await start([journal, other]);
    await store('a');
    await written(other).toEqual(['a']);
    expect(await journal.texts(test.sql)).toEqual([]);
    journal.onPrepare = async () => {};
    await written().toEqual(['a']);
  });

  it('says when it moved, for those who wait', async () => {
    const progress = new WakeUp();
    const { sql } = test;
    const runner = new ProjectionRunner({
      sql,
      store: test.store,
      projections: [journal],
      progress,
      holder: 'one',
      onError: () => {},
    });
    runners.push(runner);
    await runner.start();
    const seen = progress.count;
    await store('a');
    await progress.after(seen, 20_000, new AbortController().signal);
    expect(progress.count).toBeGreaterThan(seen);
  });

  it('leaves a generation of another version alone, and names it', async () => {
    await (await start()).stop();
    const next = Object.assign(new Journal('journal'), { version: 2 });
    const runner = await start([next, new Journal('other')]);
    await store('a');
    await caughtUp(new Journal('other'));
    expect(await runner.stale()).toEqual(['journal']);
    expect(await journal.texts(test.sql)).toEqual([]);
  });
});

describe('a stream with a poison event', () => {
  const refuse = () => {
    journal.onEvent = (text) => {
      if (text.startsWith('poison')) throw new Error('refused');
    };
  };

  it('waits, while the others go on, and is done in order after the cause is mended', async () => {
    refuse();
    const runner = await start();
    const [bad, good] = [await store('poison'), await store('a')];
    await update(bad, 'later');
    await update(good, 'b');
    await written().toEqual(['a', 'b']);
    await caughtUp();
    await expect(runner.retry('journal', bad)).rejects.toThrow('refused');
    await update(bad, 'even later');
    await caughtUp();
    expect(await journal.texts(test.sql)).toEqual(['a', 'b']);

    journal.onEvent = () => {};
    await runner.retry('journal', bad);
    expect(await journal.texts(test.sql)).toEqual(['a', 'b', 'poison', 'later', 'even later']);
    await update(bad, 'live again');
    await written().toEqual(['a', 'b', 'poison', 'later', 'even later', 'live again']);
    expect(await test.sql.query('select stream from read.parked')).toEqual([]);
  });

  it('loses nothing that arrives while it is retried', async () => {
    /** Gives way between what it loaded and what is done with it. */
    class SlowStore extends SealedEventStore {
      afterLoad: () => Promise<void> = async () => {};

      override async load<Event extends StratalogEvent>(stream: StreamName): Promise<LoadedEvent<Event>[]> {
        const loaded = await super.load<Event>(stream);
        await this.afterLoad();
        return loaded;
      }
    }
    refuse();
    const slow = new SlowStore(test.log, test.vault);
    const runner = await start([journal], 'one', slow);
    const bad = await store('poison');
    await caughtUp();
    journal.onEvent = () => {};
    slow.afterLoad = async () => {
      slow.afterLoad = async () => {};
      await update(bad, 'meanwhile');
      await caughtUp();
    };
    await runner.retry('journal', bad);
    await written().toEqual(['poison', 'meanwhile']);
  });

  it('is retried by name: an unknown projection is told, a stream that does not wait is left as it is', async () => {
    const runner = await start();
    const stream = await store('a');
    await written().toEqual(['a']);
    await expect(runner.retry('nobody', stream)).rejects.toMatchObject({ code: 'not-found' });
    await runner.retry('journal', stream);
    expect(await journal.texts(test.sql)).toEqual(['a']);
  });
});

describe('while something below is away', () => {
  it('the runner tells it, waits and tries again, and loses nothing: the embedder', async () => {
    let refusals = 3;
    journal.onPrepare = async () => {
      if (refusals-- > 0) throw new EmbedderUnavailable('away');
    };
    await start();
    await store('a');
    await store('b');
    await written().toEqual(['a', 'b']);
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(errors[0]).toMatchObject(['journal', { name: 'EmbedderUnavailable' }]);
    expect(await test.sql.query('select stream from read.parked')).toEqual([]);
  });

  it.each(['before', 'after'] as const)(
    'the runner tells it, waits and tries again, and loses nothing: the database, %s each statement',
    async (fault) => {
      await start();
      await store('a');
      await written().toEqual(['a']);
      await store('b');
      // The log is in the same database: what is stored meanwhile goes by another connection.
      test.sql.fault = (statement) => (/read\.|control\.leases/.test(statement) ? fault : undefined);
      await store('c');
      await expect.poll(() => errors.length, { timeout: 15_000 }).toBeGreaterThan(1);
      test.sql.fault = () => undefined;
      await written().toEqual(['a', 'b', 'c']);
      expect(errors[0]).toMatchObject(['journal', { name: 'SqlUnavailable' }]);
      expect(await test.sql.query('select stream from read.parked')).toEqual([]);
    },
  );
});

describe('two processes', () => {
  it('take turns: the second goes on, at once after a clean stop, without gap or double', async () => {
    const [mine, theirs] = [new Journal('journal'), new Journal('journal')];
    const seen = { mine: 0, theirs: 0 };
    mine.onEvent = () => void seen.mine++;
    theirs.onEvent = () => void seen.theirs++;
    const first = await start([mine], 'one');
    await store('a');
    await written().toEqual(['a']);
    await start([theirs], 'two');
    await store('b');
    await written().toEqual(['a', 'b']);
    expect(seen).toEqual({ mine: 2, theirs: 0 });
    await first.stop();
    await store('c');
    await written().toEqual(['a', 'b', 'c']);
    expect(seen).toEqual({ mine: 2, theirs: 1 });
  });

  it('do not share the work of one that died until its lease has run out', async () => {
    const other = new Journal('other');
    await test.sql.query(
      `insert into control.leases (name, holder, epoch, expires_at) values ('journal/1', 'dead', 1, now() + interval '1 hour')`,
    );
    await start([journal, other], 'two');
    await store('a');
    await written(other).toEqual(['a']);
    expect(await journal.texts(test.sql)).toEqual([]);
    await test.sql.query(
      `update control.leases set expires_at = now() - interval '1 second' where holder = 'dead'`,
    );
    await written().toEqual(['a']);
    expect(await test.sql.query(`select holder, epoch from control.leases where name = 'journal/1'`)).toEqual(
      [{ holder: 'two', epoch: 2 }],
    );
  });

  it('that both believe to hold the lease write each event once', async () => {
    await start([new Journal('journal')], 'one');
    // The same name takes the lease again at once: both run.
    await start([new Journal('journal')], 'one');
    const texts = Array.from({ length: 40 }, (_, n) => `text ${n}`);
    for (const text of texts) await store(text);
    await written().toEqual(texts);
    await caughtUp();
    expect(await journal.texts(test.sql)).toEqual(texts);
  });
});
