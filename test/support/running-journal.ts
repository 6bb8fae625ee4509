import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { SealedEventStore } from '../../src/adapters/eventstore/sealed-event-store.ts';
import { openSqlLeases } from '../../src/adapters/sql/leases.ts';
import type { StreamName } from '../../src/ports/event-log.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { ProjectionRunner } from '../../src/projections/runner.ts';
import { openTestStore, storeTestMemory, updateTestMemory, type TestStore } from './event-store.ts';
import { Journal } from './journal.ts';
import { startAfresh } from './read-models.ts';

const patience = { timeout: 15_000 };

/** A store with a journal for all tests of a file, reset before each test, and runners that are stopped after it. */
export function useRunningJournal() {
  let test: TestStore;
  let journal: Journal;
  let errors: [string, unknown][];
  const runners: ProjectionRunner[] = [];

  beforeAll(async () => {
    test = await openTestStore();
    await openSqlLeases(test.sql, 'one');
  });

  afterAll(() => test.close());

  beforeEach(async () => {
    await startAfresh(test);
    await test.sql.query('truncate control.lease_terms');
    journal = new Journal('journal');
    errors = [];
  });

  afterEach(async () => {
    test.sql.fault = () => undefined;
    await Promise.all(runners.splice(0).map((runner) => runner.stop()));
  });

  /** A runner that is not started yet. */
  async function runnerOf(
    projections: readonly Journal[],
    holder: string,
    store: SealedEventStore = test.store,
  ): Promise<ProjectionRunner> {
    const onError = (projection: string, error: unknown) => void errors.push([projection, error]);
    const { sql } = test;
    const leases = await openSqlLeases(sql, holder);
    return new ProjectionRunner({ sql, store, projections, progress: new WakeUp(), leases, onError });
  }

  async function start(
    projections: readonly Journal[] = [journal],
    holder = 'one',
    store: SealedEventStore = test.store,
  ): Promise<ProjectionRunner> {
    const runner = await runnerOf(projections, holder, store);
    runners.push(runner);
    await runner.prepare();
    await runner.start();
    return runner;
  }

  async function position(of = journal): Promise<number> {
    const [row] = await test.sql.query<{ position: number }>(
      'select position from follow.checkpoints where name = $1 and generation = 1',
      [of.name],
    );
    return row!.position;
  }

  return {
    get test() {
      return test;
    },
    get journal() {
      return journal;
    },
    /** The errors that the runners reported, with the projection's name. */
    get errors() {
      return errors;
    },
    runners,
    runnerOf,
    start,
    position,
    store: async (content: string): Promise<StreamName> => (await storeTestMemory(test, { content })).stream,
    update: (stream: StreamName, content: string): Promise<void> => updateTestMemory(test, stream, content),
    written: (of = journal) => expect.poll(() => of.texts(test.sql), patience),
    async caughtUp(of = journal): Promise<void> {
      const head = await test.log.head();
      await expect.poll(() => position(of), patience).toBe(head);
    },
  };
}
