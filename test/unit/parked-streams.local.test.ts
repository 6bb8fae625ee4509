import { v7 as newId } from 'uuid';
import { describe, expect, it } from 'vitest';
import { SealedEventStore } from '../../src/adapters/eventstore/sealed-event-store.ts';
import type { RecordedEvent } from '../../src/ports/event-log.ts';
import type { OpenedEvents } from '../../src/ports/event-store.ts';
import { ProjectionOperations } from '../../src/projections/operations.ts';
import { feedbackStream } from '../../src/domain/streams.ts';
import { testContext } from '../support/event-store.ts';
import { Journal } from '../support/journal.ts';
import { useRunningJournal } from '../support/running-journal.ts';

/** A journal of feedback that cannot apply a judgement. */
class FeedbackJournal extends Journal {
  override readonly handles = ['FeedbackGiven', 'FeedbackErased'] as never;

  override plan(...[events, ...rest]: Parameters<Journal['plan']>): ReturnType<Journal['plan']> {
    if (events.some(({ event }) => event.type === 'FeedbackGiven')) throw new Error('refused');
    return super.plan(events, ...rest);
  }
}

const running = useRunningJournal();
const { start, store, update, written, caughtUp } = running;

describe('a stream with a poison event', () => {
  const refuse = () => {
    running.journal.onEvent = (text) => {
      if (text.startsWith('poison')) throw new Error('refused');
    };
  };

  it('waits while other streams continue, and is applied in order once the cause is fixed', async () => {
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
    expect(await running.journal.texts(running.test.sql)).toEqual(['a', 'b']);

    running.journal.onEvent = () => {};
    expect(await runner.retry('journal', bad)).toBe(true);
    expect(await running.journal.texts(running.test.sql)).toEqual([
      'a',
      'b',
      'poison',
      'later',
      'even later',
    ]);
    await update(bad, 'live again');
    await written().toEqual(['a', 'b', 'poison', 'later', 'even later', 'live again']);
    expect(await running.test.sql.query('select stream from follow.parked')).toEqual([]);
  });

  it('[G4] continues after a skipped event, and parks at the next event that cannot be applied', async () => {
    refuse();
    const runner = await start();
    const operations = new ProjectionOperations(running.test.sql, running.test.store, runner);
    const bad = await store('poison');
    await update(bad, 'between');
    await update(bad, 'poison too');
    await update(bad, 'last');
    await caughtUp();
    const skip = () => operations.skip('journal', bad, testContext());
    await expect(skip()).rejects.toMatchObject({ code: 'still-parked' });
    expect(await running.journal.texts(running.test.sql)).toEqual(['between']);
    const parked = await running.test.sql.query('select revision, error from follow.parked');
    expect(parked).toEqual([{ revision: 2, error: 'refused' }]);
    expect(await skip()).toMatchObject({ revision: 2, type: 'MemoryUpdated' });
    expect(await running.journal.texts(running.test.sql)).toEqual(['between', 'last']);
    expect(await running.test.sql.query('select stream from follow.parked')).toEqual([]);

    await update(bad, 'live again');
    await written().toEqual(['between', 'last', 'live again']);
    const { events } = await running.test.store.readAll({
      limit: 100,
      filter: { types: ['ParkedEventSkipped'] },
    });
    expect(events.map(({ event }) => event.data)).toEqual([
      { projection: 'journal', stream: bad, revision: 0, type: 'MemoryStored' },
      { projection: 'journal', stream: bad, revision: 2, type: 'MemoryUpdated' },
    ]);
    await expect(skip()).rejects.toMatchObject({ code: 'not-found' });
  });

  it('[A11] continues without one event, even if the command to skip it is repeated or interrupted', async () => {
    refuse();
    const runner = await start();
    const operations = new ProjectionOperations(running.test.sql, running.test.store, runner);
    const bad = await store('poison');
    await update(bad, 'poison too');
    await update(bad, 'last');
    await caughtUp();
    const context = testContext({ commandId: 'skip-once' });
    const plan = await operations.parkedAt('journal', bad);
    // The state that a process leaves if it is killed before it records the skip.
    expect(await runner.skip('journal', bad, plan.revision)).toBe(true);
    const skip = () => operations.skip('journal', bad, context, plan);
    const twins = await Promise.allSettled([skip(), skip()]);
    expect(twins).toMatchObject([{ reason: { code: 'still-parked' } }, { reason: { code: 'still-parked' } }]);
    await expect(skip()).rejects.toMatchObject({ code: 'still-parked' });
    expect(await operations.parkedAt('journal', bad)).toEqual({ revision: 1, type: 'MemoryUpdated' });
    const skips = await running.test.store.readAll({ limit: 100, filter: { types: ['ParkedEventSkipped'] } });
    expect(skips.events.map(({ event }) => event.data)).toMatchObject([{ stream: bad, revision: 0 }]);
  });

  it('loses no event that arrives during a retry', async () => {
    /** Runs `afterLoad` between loading events and using them. */
    class SlowStore extends SealedEventStore {
      afterLoad: () => Promise<void> = async () => {};

      override async open(recorded: readonly RecordedEvent[]): Promise<OpenedEvents> {
        const opened = await super.open(recorded);
        await this.afterLoad();
        return opened;
      }
    }
    refuse();
    const slow = new SlowStore(running.test.log, running.test.vault);
    const runner = await start([running.journal], 'one', slow);
    const bad = await store('poison');
    await caughtUp();
    running.journal.onEvent = () => {};
    slow.afterLoad = async () => {
      slow.afterLoad = async () => {};
      await update(bad, 'meanwhile');
      await caughtUp();
    };
    await runner.retry('journal', bad);
    await written().toEqual(['poison', 'meanwhile']);
  });

  it('[F6] continues by itself if its memory was erased', async () => {
    running.journal.onEvent = (text) => {
      if (text.startsWith('poison')) throw new Error('refused');
    };
    await start();
    const bad = await store('poison');
    await update(bad, 'poison too');
    await caughtUp();
    const { store: events, vault } = running.test;
    const [first] = await events.load(bad);
    const { tenant, keyId } = first!.metadata;
    const memoryId = bad.slice(bad.indexOf('.') + 1);
    const erased = { type: 'MemoryErased' as const, data: { memoryId, keyId: keyId! } };
    await events.append(bad, 'exists', [erased], testContext());
    await vault.destroy(tenant, keyId!);
    await written().toEqual(['', '']);
    expect(await running.test.sql.query('select stream from follow.parked')).toEqual([]);
  });

  it('[F6] of feedback continues by itself if its memory was erased', async () => {
    const journal = new FeedbackJournal('journal');
    const { store: events, sql } = running.test;
    await start([journal]);
    const memoryId = newId();
    const stream = feedbackStream('acme', memoryId);
    const given = { memoryId, kind: 'outdated' as const, score: -0.5, isAuthoritative: true };
    await events.append(stream, 'noStream', [{ type: 'FeedbackGiven', data: given }], testContext());
    await expect.poll(() => sql.query('select stream from follow.parked')).toEqual([{ stream }]);
    await events.append(stream, 'exists', [{ type: 'FeedbackErased', data: { memoryId } }], testContext());
    await expect.poll(() => journal.rows(sql), { timeout: 15_000 }).toMatchObject([{ stream, revision: 1 }]);
    expect(await sql.query('select stream from follow.parked')).toEqual([]);
  });

  it('is retried by name: reports an unknown projection, and does not change a stream that is not parked', async () => {
    const runner = await start();
    const stream = await store('a');
    await written().toEqual(['a']);
    await expect(runner.retry('nobody', stream)).rejects.toMatchObject({ code: 'not-found' });
    expect(await runner.retry('journal', stream)).toBe(false);
    expect(await running.journal.texts(running.test.sql)).toEqual(['a']);
  });
});
