import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SoleLeases } from '../../src/adapters/sole-leases.ts';
import { projectionStream } from '../../src/domain/streams.ts';
import { SqlUnavailable } from '../../src/ports/sql.ts';
import { ReactorProcessor } from '../../src/follow/reactor-processor.ts';
import { ProcessorRunner } from '../../src/follow/processor-runner.ts';
import { eventually } from '../support/eventually.ts';
import { openTestStore, testContext, type TestStore } from '../support/event-store.ts';

describe('[F1] a reactor', () => {
  let test: TestStore;
  let handled: string[];
  let parked: string[];
  /** Why events of a stream fail. */
  let failures: Map<string, Error>;
  const running: ProcessorRunner[] = [];

  beforeEach(async () => {
    test = await openTestStore();
    handled = [];
    parked = [];
    failures = new Map();
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((runner) => runner.stop()));
    await test.close();
  });

  /** Named `stream`, or `stream@revision` for later events. */
  const append = async (stream: string): Promise<void> => {
    const data = { projection: stream, from: 1, to: 2, rollback: false };
    await test.store.append(
      projectionStream(stream),
      'any',
      [{ type: 'ProjectionSwitched', data }],
      testContext(),
    );
  };
  const create = (): ReactorProcessor =>
    new ReactorProcessor(
      {
        name: 'test-manager',
        handles: ['ProjectionSwitched'],
        async handle(events) {
          for (const { event, revision } of events) {
            if (event.type !== 'ProjectionSwitched') continue;
            const failure = failures.get(event.data.projection);
            if (failure) throw failure;
            handled.push(`${event.data.projection}@${revision}`);
          }
        },
      },
      { sql: test.sql, store: test.store, onParked: (error) => void parked.push(String(error)) },
    );
  const start = (): ProcessorRunner => {
    const runner = new ProcessorRunner(create(), { leases: new SoleLeases(), onError: () => {} });
    running.push(runner);
    runner.start();
    return runner;
  };
  const waiting = () => test.sql.query('select stream, revision, error from follow.parked order by stream');

  it('handles the events of a parked stream in order, including later ones, once they can be handled', async () => {
    failures.set('bad', new Error('refused'));
    const first = start();
    await append('bad');
    await append('good');
    await append('bad');
    await eventually(() => handled).toEqual(['good@0']);
    await eventually(waiting).toEqual([{ stream: projectionStream('bad'), revision: 0, error: 'refused' }]);
    expect(parked).toEqual(['Error: refused']);
    await first.stop();

    failures.clear();
    start();
    await eventually(() => handled).toEqual(['good@0', 'bad@0', 'bad@1']);
    await eventually(waiting).toEqual([]);
    await append('bad');
    await eventually(() => handled.at(-1)).toBe('bad@2');
  });

  it('parks nothing while the database is unavailable', async () => {
    failures.set('one', new SqlUnavailable('away'));
    const runner = start();
    await append('one');
    await eventually(() => runner.status).toMatchObject({ state: 'failing', error: 'away' });
    expect(await waiting()).toEqual([]);
    failures.clear();
    await eventually(() => handled).toEqual(['one@0']);
  });

  it('catches up without a lease, and reports the first failure instead of parking its stream', async () => {
    await append('one');
    await append('bad');
    failures.set('bad', new Error('refused'));
    await expect(create().catchUp()).rejects.toThrow('refused');
    expect(await waiting()).toEqual([]);
    failures.clear();
    await create().catchUp();
    await create().catchUp();
    expect(handled.slice(-1)).toEqual(['bad@0']);
    expect(handled.filter((name) => name === 'bad@0')).toHaveLength(1);
  });

  it('completes parked streams before it has caught up', async () => {
    failures.set('bad', new Error('refused'));
    const first = start();
    await append('bad');
    await eventually(waiting).toHaveLength(1);
    await first.stop();
    await expect(create().catchUp()).rejects.toThrow('refused');
    failures.clear();
    await create().catchUp();
    expect(handled).toEqual(['bad@0']);
    expect(await waiting()).toEqual([]);
  });

  it('continues with the events that it handles if its stream is parked at another one, as after an upgrade', async () => {
    failures.set('bad', new Error('refused'));
    const first = start();
    await append('bad');
    await append('bad');
    await eventually(waiting).toHaveLength(1);
    await first.stop();
    await test.sql.query('update follow.parked set position = position - 1, revision = -1');
    failures.clear();
    await create().catchUp();
    expect(handled).toEqual(['bad@0', 'bad@1']);
    expect(await waiting()).toEqual([]);
  });
});
