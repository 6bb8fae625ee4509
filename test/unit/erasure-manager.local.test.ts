import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { systemTenant } from '../../src/domain/access/context.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { ErasureManager } from '../../src/worker/erasure-manager.ts';
import { openTestStore, storeTestMemory, testContext, type TestStore } from '../support/event-store.ts';

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

/** As a process leaves it that is killed between the event and the key. */
async function eraseHalf(): Promise<{ readonly tenant: string; readonly id: string }> {
  const { value, stream, key } = await storeTestMemory(test, { content: 'my secret' });
  const erased = { type: 'MemoryErased' as const, data: { memoryId: value.id, keyId: key.id } };
  await test.store.append(stream, 'exists', [erased], testContext());
  return key;
}

it('[F6] completes every erasure of the log, also where the database had followed another log before', async () => {
  const { store, vault, sql } = test;
  const services = { store, vault, clock: systemClock, newId };
  const none: readonly string[] = [];
  const places = { orgs: none, teams: none, projects: none, sessions: none, agents: none };
  const caller = { tenant: systemTenant, principal: 'system', roles: [], ...places };
  const context = { caller, cause: 'system' as const, correlationId: 'erasures' };
  const manager = new ErasureManager(services, sql, context, (error) => {
    throw error;
  });
  const isGone = async ({ tenant, id }: { readonly tenant: string; readonly id: string }) =>
    (await vault.open(tenant, [id])).get(id) === 'destroyed';
  const first = await eraseHalf();
  await manager.catchUp();
  expect(await isGone(first)).toBe(true);

  const second = await eraseHalf();
  await sql.query(`update control.erasures set bookmark = 1000000000, log = 'another'`);
  await manager.catchUp();
  expect(await isGone(second)).toBe(true);
});
