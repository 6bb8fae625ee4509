import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqlLeases } from '../../src/adapters/sql/leases.ts';
import { underLease } from '../../src/reactors/under-lease.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

const never = new AbortController().signal;

it('runs the work of several processes one after another', async () => {
  const processes = await Promise.all(['a', 'b', 'c'].map((holder) => openSqlLeases(test.sql, holder)));
  let working = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++working);
    await sleep(50);
    working--;
  };
  await Promise.all(processes.map((leases) => underLease(leases, 'one', work, never)));
  expect(most).toBe(1);
});

it('releases the lease if the work failed, and rejects with its error', async () => {
  const leases = await openSqlLeases(test.sql, 'a');
  const failing = underLease(leases, 'two', () => Promise.reject(new Error('no luck')), never);
  await expect(failing).rejects.toThrow('no luck');
  expect(await (await openSqlLeases(test.sql, 'b')).hold('two')).toBeGreaterThan(0);
});

it('stops waiting when its signal aborts', async () => {
  const leases = await openSqlLeases(test.sql, 'a');
  await leases.hold('three');
  const stop = new AbortController();
  const waiting = underLease(await openSqlLeases(test.sql, 'b'), 'three', async () => 'done', stop.signal);
  stop.abort();
  await expect(waiting).rejects.toThrow();
});
