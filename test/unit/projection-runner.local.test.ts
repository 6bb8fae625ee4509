import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { SealedEventStore } from '../../src/adapters/eventstore/sealed-event-store.ts';
import { openSqlLeases } from '../../src/adapters/sql/leases.ts';
import { EmbedderUnavailable } from '../../src/ports/embedder.ts';
import type { SubscribeOptions } from '../../src/ports/event-log.ts';
import type { LoadedPage } from '../../src/ports/event-store.ts';
import { SqlUnavailable } from '../../src/ports/sql.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { failBuilding } from '../../src/projections/drop-generation.ts';
import { createBeside, ensureLive, readGenerations, setState } from '../../src/projections/generations.ts';
import { CheckpointMoved } from '../../src/follow/processor.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ProjectionOperations } from '../../src/projections/operations.ts';
import { ProjectionRunner } from '../../src/projections/runner.ts';
import { testContext } from '../support/event-store.ts';
import { Journal } from '../support/journal.ts';
import { dividedInto } from '../support/partitions.ts';
import { useRunningJournal } from '../support/running-journal.ts';

const running = useRunningJournal();
const { runners, start, runnerOf, store, update, written, caughtUp } = running;

describe('the runner', () => {
  it('brings a new projection up with the log and keeps it there', async () => {
    await store('a');
    await start();
    await written().toEqual(['a']);
    const stream = await store('b');
    await update(stream, 'c');
    await written().toEqual(['a', 'b', 'c']);
  });

  it('resumes where it stopped', async () => {
    const first = await start();
    await store('a');
    await written().toEqual(['a']);
    await first.stop();
    await store('b');
    await start();
    await written().toEqual(['a', 'b']);
  });

  it('runs projections independently: a failing one does not delay the others', async () => {
    const other = new Journal('other');
    running.journal.onPrepare = () => Promise.reject(new EmbedderUnavailable('away'));
    await start([running.journal, other]);
    await store('a');
    await written(other).toEqual(['a']);
    expect(await running.journal.texts(running.test.sql)).toEqual([]);
    running.journal.onPrepare = async () => {};
    await written().toEqual(['a']);
  });

  it('notifies waiting callers when it has moved', async () => {
    const progress = new WakeUp();
    const { sql } = running.test;
    const runner = new ProjectionRunner({
      sql,
      store: running.test.store,
      projections: [running.journal],
      progress,
      leases: await openSqlLeases(sql, 'one'),
      onError: () => {},
    });
    runners.push(runner);
    await runner.prepare();
    await runner.start();
    const seen = progress.count;
    await store('a');
    await progress.after(seen, 20_000, new AbortController().signal);
    expect(progress.count).toBeGreaterThan(seen);
  });

  it('does not touch a generation with other partitions until it is rebuilt', async () => {
    await store('a');
    await ensureLive(running.test.sql, running.journal, dividedInto(3));
    const runner = await start([running.journal, new Journal('other')]);
    await caughtUp(new Journal('other'));
    expect(await runner.stale()).toEqual(['journal']);
    expect(await running.journal.texts(running.test.sql)).toEqual([]);
    await new ProjectionOperations(running.test.sql, running.test.store, runner).renewStale(testContext());
    expect(await runner.stale()).toEqual([]);
    await store('b');
    await expect
      .poll(() => running.journal.texts(running.test.sql, 2), { timeout: 15_000 })
      .toEqual(['a', 'b']);
  });

  it('does not touch a generation of another version, and reports it', async () => {
    await (await start()).stop();
    const next = Object.assign(new Journal('journal'), { version: 2 });
    const runner = await start([next, new Journal('other')]);
    await store('a');
    await caughtUp(new Journal('other'));
    expect(await runner.stale()).toEqual(['journal']);
    expect(await running.journal.texts(running.test.sql)).toEqual([]);
  });

  it('[F6] drops generations that it cannot keep up to date: older versions, and interrupted or failed rebuilds', async () => {
    const { sql, store: events } = running.test;
    await (await start()).stop();
    await store('a');
    const next = Object.assign(new Journal('journal'), { version: 2 });
    const runner = await start([next]);
    const operations = new ProjectionOperations(sql, events, runner);
    await operations.renewStale(testContext());
    const generations = async () =>
      (await readGenerations(sql)).map(({ generation, state }) => [generation, state]);
    const tables = async () => {
      const rows = await sql.query<{ n: number }>(
        `select substring(tablename from 'journal_g(\\d+)')::integer as n from pg_tables where tablename ~ '^journal_g' order by n`,
      );
      return rows.map(({ n }) => n);
    };
    expect(await generations()).toEqual([[2, 'live']]);
    expect(await tables()).toEqual([2]);

    // The state that a killed process leaves.
    await createBeside(sql, next);
    expect(await tables()).toEqual([2, 3]);
    await operations.endInterrupted(testContext());
    expect(await generations()).toEqual([[2, 'live']]);
    expect(await tables()).toEqual([2]);

    next.onPrepare = () => sleep(50);
    const { done } = await operations.rebuild('journal', testContext());
    await Promise.all([operations.stop(), expect(done).rejects.toThrow()]);
    expect(await generations()).toEqual([
      [2, 'live'],
      [4, 'failed'],
    ]);
    expect(await tables()).toEqual([2]);
  });

  it('[F4] keeps a completely built generation although its completion could not be recorded', async () => {
    const { sql, store: events } = running.test;
    const runner = await start();
    await store('a');
    await written().toEqual(['a']);
    const refusing = Object.assign(Object.create(events) as typeof events, {
      append: (...[stream, expected, appended, context]: Parameters<typeof events.append>) =>
        appended[0]!.type === 'ProjectionRebuilt'
          ? Promise.reject(new Error('the log is away'))
          : events.append(stream, expected, appended, context),
      log: events.log,
      readAll: events.readAll.bind(events),
    });
    const operations = new ProjectionOperations(sql, refusing, runner);
    const { generation, done } = await operations.rebuild('journal', testContext());
    await expect(done).rejects.toThrow('the log is away');
    const states = (await readGenerations(sql)).map((row) => [row.generation, row.state]);
    expect(states).toContainEqual([generation, 'ready']);
    expect(await running.journal.texts(sql, generation)).toEqual(['a']);
  });
});

describe('while a back end is unavailable', () => {
  it('the runner reports it, retries and loses nothing: the embedder', async () => {
    let refusals = 3;
    running.journal.onPrepare = async () => {
      if (refusals-- > 0) throw new EmbedderUnavailable('away');
    };
    await start();
    await store('a');
    await store('b');
    await written().toEqual(['a', 'b']);
    expect(running.errors.length).toBeGreaterThanOrEqual(3);
    expect(running.errors[0]).toMatchObject(['journal', { name: 'EmbedderUnavailable' }]);
    expect(await running.test.sql.query('select stream from follow.parked')).toEqual([]);
  });

  it.each(['before', 'after'] as const)(
    'the runner reports it, retries and loses nothing: the database, %s each statement',
    async (fault) => {
      await start();
      await store('a');
      await written().toEqual(['a']);
      await store('b');
      // The log is in the same database, so only statements of the projection fail. Stores during the outage work.
      running.test.sql.fault = (statement) =>
        /read\.|control\.lease_terms/.test(statement) ? fault : undefined;
      await store('c');
      await expect.poll(() => running.errors.length, { timeout: 15_000 }).toBeGreaterThan(1);
      running.test.sql.fault = () => undefined;
      await written().toEqual(['a', 'b', 'c']);
      expect(running.errors[0]).toMatchObject(['journal', { name: 'SqlUnavailable' }]);
      expect(await running.test.sql.query('select stream from follow.parked')).toEqual([]);
    },
  );

  it('[G2] the runner resumes and is woken again: the vault, while it follows the log', async () => {
    let refusals = 2;
    class Refusing extends SealedEventStore {
      override subscribe(options: SubscribeOptions): AsyncGenerator<LoadedPage> {
        if (refusals-- > 0) throw new SqlUnavailable('away');
        return super.subscribe(options);
      }
    }
    await start([running.journal], 'one', new Refusing(running.test.log, running.test.vault));
    await store('a');
    await written().toEqual(['a']);
    await expect.poll(() => refusals, { timeout: 15_000 }).toBeLessThan(0);
    await store('b');
    await written().toEqual(['a', 'b']);
  });
});

describe('two processes', () => {
  it('[F4] [F6] end the rebuild of one that died, and of no other', async () => {
    const { sql, store: events } = running.test;
    const dead = await start([running.journal], 'dead');
    await store('a');
    await written().toEqual(['a']);
    let dropBefore = (_: Error): void => {};
    class Stuck extends SealedEventStore {
      override readAll(): Promise<never> {
        return new Promise((_, reject) => (dropBefore = reject));
      }
    }
    const stuck = new Stuck(running.test.log, running.test.vault);
    const theirs = new ProjectionOperations(sql, stuck, dead);
    const { generation, done } = await theirs.rebuild('journal', testContext());
    done.catch(() => undefined);
    const states = async () => (await readGenerations(sql)).map((row) => [row.generation, row.state]);
    const mine = new ProjectionOperations(sql, events, await start([running.journal], 'two'));
    await mine.endInterrupted(testContext());
    expect(await states()).toContainEqual([generation, 'building']);
    await expect(mine.rebuild('journal', testContext())).rejects.toMatchObject({
      code: 'rebuild-in-progress',
    });
    // The state that a killed process leaves, after its lease has expired.
    vi.spyOn(dead.leases, 'hold').mockResolvedValue(undefined);
    await dead.leases.release('rebuild/journal');
    await mine.endInterrupted(testContext());
    expect(await states()).toEqual([[1, 'live']]);
    const stopped = theirs.stop();
    dropBefore(new Error('it is gone'));
    await stopped;
  });

  it('[F4] keep a generation that became ready meanwhile, although another rebuild of the same number is running', async () => {
    const { sql, store: events } = running.test;
    const other = new Journal('other');
    const operations = new ProjectionOperations(sql, events, await start([running.journal, other]));
    const { number } = await createBeside(sql, running.journal);
    const ending = operations.endInterrupted(testContext());
    await sleep(1_000);
    await setState(sql, 'journal', number, 'ready');
    expect((await createBeside(sql, other)).number).toBe(number);
    await ending;
    const left = (await readGenerations(sql)).filter(({ name }) => name === 'journal');
    expect(left.map(({ state }) => state)).toEqual(['live', 'ready']);
  });

  it('[F4] end the other rebuilds of a killed process if one cannot be ended yet', async () => {
    const { sql, store: events } = running.test;
    const refusing = Object.assign(new Journal('journal'), {
      external: { create: async () => undefined, drop: () => Promise.reject(new Error('the index is away')) },
    });
    const other = new Journal('other');
    const operations = new ProjectionOperations(sql, events, await start([refusing, other]));
    for (const projection of [refusing, other]) await createBeside(sql, projection);
    await expect(operations.endInterrupted(testContext())).rejects.toThrow('the index is away');
    const left = (await readGenerations(sql)).map(({ name, state }) => [name, state]);
    expect(left).toEqual([
      ['journal', 'live'],
      ['journal', 'building'],
      ['other', 'live'],
    ]);
  });

  it('[F4] end no rebuild by a plan that is older than its end', async () => {
    const { sql, store: events } = running.test;
    const operations = new ProjectionOperations(sql, events, await start());
    const { number } = await createBeside(sql, running.journal);
    const plan = await operations.plan('rollback', 'journal');
    expect(plan).toEqual({ from: number, to: 1, ended: true });
    await setState(sql, 'journal', number, 'ready');
    const late = operations.rollback('journal', testContext({ commandId: 'late' }), plan);
    await expect(late).rejects.toMatchObject({ code: 'rebuild-not-ready' });
    expect((await readGenerations(sql)).map(({ state }) => state)).toEqual(['live', 'ready']);
  });

  it('[A11] [F4] know which rebuild a command began, unless that failed', async () => {
    const { sql, store: events } = running.test;
    await store('a');
    const operations = new ProjectionOperations(sql, events, await start());
    const context = testContext({ commandId: 'once' });
    expect(await operations.begun('journal', context)).toBeUndefined();
    const { generation, done } = await operations.rebuild('journal', context);
    expect(await operations.begun('journal', context)).toBe(generation);
    await done;
    expect(await operations.begun('journal', context)).toBe(generation);
    expect(await operations.begun('journal', testContext({ commandId: 'other' }))).toBeUndefined();
    expect(await operations.begun('journal', testContext())).toBeUndefined();
    // The state that a killed process leaves, and then that of a failed one.
    for (const lost of ['building', 'failed'] as const) {
      await setState(sql, 'journal', generation, lost);
      expect(await operations.begun('journal', context)).toBeUndefined();
    }
  });

  it('[F6] write nothing to an abandoned generation', async () => {
    const { sql } = running.test;
    await start();
    await store('a');
    const { number } = await createBeside(sql, running.journal);
    const generation = new Generation(sql, running.journal, number);
    const [state] = await generation.checkpoints.states(['log']);
    await failBuilding(sql, running.journal, number, 'given up');
    const moving = sql.transaction((tx) => generation.checkpoints.move(tx, [{ state: state!, to: 9 }]));
    await expect(moving).rejects.toBeInstanceOf(CheckpointMoved);
    const status = await new ProjectionOperations(sql, running.test.store, runners[0]!).status();
    expect(status[0]!.generations.find((one) => one.generation === number)).toMatchObject({
      state: 'failed',
      position: 0,
    });
  });

  it('take turns: after a clean stop the second continues at once, without gaps or duplicates', async () => {
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

  it('do not take over the work of a dead process until its lease has expired', async () => {
    const other = new Journal('other');
    await running.test.sql.query(
      `insert into control.lease_terms (name, holder, instance, epoch, expires_at) values ('journal/1', 'dead', gen_random_uuid(), 1, now() + interval '1 hour')`,
    );
    await start([running.journal, other], 'two');
    await store('a');
    await written(other).toEqual(['a']);
    expect(await running.journal.texts(running.test.sql)).toEqual([]);
    await running.test.sql.query(
      `update control.lease_terms set expires_at = now() - interval '1 second' where holder = 'dead'`,
    );
    await written().toEqual(['a']);
    expect(
      await running.test.sql.query(`select holder, epoch from control.lease_terms where name = 'journal/1'`),
    ).toEqual([{ holder: 'two', epoch: 2 }]);
  });

  it('[F4] follow a generation that the other one built, and do not touch one that it dropped', async () => {
    const { sql, store: events } = running.test;
    await start([new Journal('journal')], 'one');
    await store('a');
    await written().toEqual(['a']);
    // A process that rebuilds but runs no projection.
    const elsewhere = new ProjectionOperations(sql, events, await runnerOf([running.journal], 'two'));
    const { generation, done } = await elsewhere.rebuild('journal', testContext());
    await done;
    await store('b');
    const texts = () => running.journal.texts(sql, generation);
    await expect.poll(texts, { timeout: 15_000 }).toEqual(['a', 'b']);
    await elsewhere.switch('journal', testContext());
    const again = await elsewhere.rebuild('journal', testContext());
    await again.done;
    await store('c');
    await expect.poll(texts, { timeout: 15_000 }).toEqual(['a', 'b', 'c']);
    await expect
      .poll(() => running.journal.texts(sql, again.generation), { timeout: 15_000 })
      .toEqual(['a', 'b', 'c']);
    expect(running.errors).toEqual([]);
  });

  it('that both believe to hold the lease write each event once', async () => {
    await start([new Journal('journal')], 'one');
    // A process of the same name gets the lease at once, so both run.
    await start([new Journal('journal')], 'one');
    const texts = Array.from({ length: 40 }, (_, n) => `text ${n}`);
    for (const text of texts) await store(text);
    await written().toEqual(texts);
    await caughtUp();
    expect(await running.journal.texts(running.test.sql)).toEqual(texts);
  });
});
