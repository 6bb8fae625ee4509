import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { audit } from '../../src/projections/audit/audit.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { followAuditEvents, readAuditEvents } from '../../src/queries/audit-events.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, storeTestMemory, type TestStore } from '../support/event-store.ts';
import { dividedInto, followAll, followPartition } from '../support/partitions.ts';
import { startAfresh } from '../support/read-models.ts';

const partitioning = dividedInto(2);
const caller = adminOf('acme');

let test: TestStore;
let models: ReadModels;
let live: Generation;
/** The position after which each query searched. */
let looks: number[];

beforeAll(async () => {
  test = await openTestStore();
  models = new ReadModels(test.sql, new WakeUp());
  const { queryAs } = test.sql;
  test.sql.queryAs = (tenant, text, parameters = []) => {
    // The parameters are the tenant and the position.
    looks.push(Number(parameters[1]));
    return queryAs.call(test.sql, tenant, text, parameters) as Promise<never[]>;
  };
});

beforeEach(async () => {
  looks = [];
  await startAfresh(test);
  await ensureLive(test.sql, audit, partitioning);
  live = new Generation(test.sql, audit, 1, partitioning);
});

afterAll(() => test.close());

function follow(type: string, limit = 500) {
  const stop = new AbortController();
  const request = { type: [type], after: 0, limit };
  const pages = followAuditEvents(test.store, models, caller, request, stop.signal, () =>
    Promise.resolve(true),
  );
  return {
    next: async () => ((await pages.next()).value as readonly LoadedEvent[]).map(({ position }) => position),
    stop: () => stop.abort(),
  };
}

/** Stores memories until the partition has a new event. Returns its position. */
async function storeIn(partition: string): Promise<number> {
  for (;;) {
    const { stream } = await storeTestMemory(test);
    if (partitioning.partitionOf(stream) === partition) return test.log.head();
  }
}

describe('a followed stream of audit events', () => {
  it('[F2] continues its search where the last one ended, even if that found nothing', async () => {
    await storeIn('p/0');
    await followAll(test, live);
    const first = await test.log.head();
    const rare = follow('MemoryErased');
    expect(await rare.next()).toEqual([]);
    expect(await rare.next()).toEqual([]);
    await storeIn('p/0');
    await followAll(test, live);
    const second = await test.log.head();
    expect(await rare.next()).toEqual([]);
    expect(await rare.next()).toEqual([]);
    rare.stop();
    expect(looks).toEqual([0, first, first, second]);
  });

  it('[F2] misses no event that arrives in a partition that is further behind', async () => {
    const late = await storeIn('p/0');
    const early = await storeIn('p/1');
    while (await followPartition(test, live, 'p/1', 100));
    const stored = follow('MemoryStored');
    expect(await stored.next()).toEqual([]);
    await followAll(test, live);
    const positions = await stored.next();
    stored.stop();
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(positions).toEqual(expect.arrayContaining([late, early]));
  });

  it('[F2] has every event once, in pages', async () => {
    for (let n = 0; n < 5; n++) await storeIn('p/0');
    await followAll(test, live);
    const request = { type: ['MemoryStored'], after: 0, limit: 500 };
    const { events } = await readAuditEvents(test.store, models, caller, request);
    const stored = follow('MemoryStored', 2);
    const seen: number[] = [];
    while (seen.length < events.length) seen.push(...(await stored.next()));
    expect(await stored.next()).toEqual([]);
    stored.stop();
    expect(seen).toEqual(events.map(({ position }) => position));
  });
});
