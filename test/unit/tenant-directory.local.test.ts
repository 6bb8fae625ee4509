import { afterAll, beforeAll, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest';
import { createApiKey, parseKey, revokeApiKey } from '../../src/commands/api-keys.ts';
import { commandServices, type CommandContext, type CommandServices } from '../../src/commands/context.ts';
import { tenantStream } from '../../src/domain/streams.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { EventLog } from '../../src/ports/event-log.ts';
import { TenantDirectory } from '../../src/queries/tenant-directory.ts';
import { newId } from '../../src/adapters/random.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';

let test: TestStore;
let commands: CommandServices;
let tenant: string;
let tenants = 0;
let directory: TenantDirectory;
let read: EventLog['readStream'];
let reads: MockInstance<EventLog['readStream']>;
/** Milliseconds by which the directory's clock is ahead. */
let ahead: number;

beforeAll(async () => {
  test = await openTestStore();
  read = test.log.readStream.bind(test.log);
  commands = commandServices({ store: test.store, vault: test.vault, clock: systemClock, newId });
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
});

beforeEach(() => {
  ahead = 0;
  tenant = `tenant${++tenants}`;
  directory = new TenantDirectory(test.store, systemClock);
  reads = vi.spyOn(test.log, 'readStream');
  return () => reads.mockRestore();
});

afterAll(async () => {
  vi.restoreAllMocks();
  await test.close();
});

const contextIn = (name: string): CommandContext => ({
  caller: adminOf(name),
  cause: 'user',
  correlationId: newId(),
});

/** Creates a key like another process, without informing the directory. */
async function createElsewhere(name = tenant): Promise<string> {
  const { key } = await createApiKey(commands, contextIn(name), {
    role: 'admin',
    orgs: [],
    teams: [],
    projects: [],
    sessions: [],
    agents: [],
    users: [],
  });
  reads.mockClear();
  return parseKey(key)!.keyId;
}

const strangeId = (n: number) => n.toString(16).padStart(32, '0');
const froms = () => reads.mock.calls.map(([, options]) => options?.from);

describe('the keys of a tenant', () => {
  it('[I1] are read once, and then only new events', async () => {
    const first = await createElsewhere();
    expect(await directory.findUsable(tenant, first)).toMatchObject({ id: first });
    const second = await createElsewhere();
    ahead += 1_001;
    expect(await directory.findUsable(tenant, first)).toMatchObject({ id: first });
    // The first two events, of the tenant and its first key, are cached.
    expect(froms()).toEqual([2]);
    expect(await directory.findUsable(tenant, second)).toMatchObject({ id: second });
    expect(froms()).toEqual([2]);
    const third = await createElsewhere();
    await directory.refresh(tenant);
    expect(froms()).toEqual([3]);
    expect((await directory.list(tenant)).map(({ id }) => id)).toEqual([third, second, first]);
    expect(froms()).toEqual([3, 4]);
  });

  it('[I1] are rejected a second after another process revoked them', async () => {
    const id = await createElsewhere();
    expect(await directory.findUsable(tenant, id)).toBeDefined();
    await revokeApiKey(commands, contextIn(tenant), id);
    ahead += 1_001;
    expect(await directory.findUsable(tenant, id)).toBeUndefined();
  });

  it('[I1] are not used from a read that began more than a second ago', async () => {
    const id = await createElsewhere();
    let end = () => {};
    const mayEnd = new Promise<void>((resolve) => (end = resolve));
    reads.mockImplementationOnce(async (...asked) => {
      const events = await read(...asked);
      await mayEnd;
      return events;
    });
    const slow = directory.findUsable(tenant, id);
    await vi.waitFor(() => expect(reads).toHaveBeenCalled());
    await revokeApiKey(commands, contextIn(tenant), id);
    ahead += 1_001;
    const later = directory.findUsable(tenant, id);
    end();
    await slow;
    expect(await later).toBeUndefined();
    expect(await directory.findUsable(tenant, id)).toBeUndefined();
  });

  it('[I1] are read once for concurrent requests', async () => {
    const id = await createElsewhere();
    const many = () => Promise.all(Array.from({ length: 50 }, () => directory.findUsable(tenant, id)));
    expect((await many()).every((key) => key?.id === id)).toBe(true);
    ahead += 1_001;
    await many();
    expect(froms()).toEqual([0, 2]);
  });
});

describe('unknown key ids', () => {
  it('[I1] cause at most one read in 100 ms, however many there are', async () => {
    await directory.findUsable(tenant, await createElsewhere());
    reads.mockClear();
    const started = performance.now();
    for (let round = 0; round < 8; round++) {
      const ids = Array.from({ length: 20 }, (_, n) => strangeId(20 * round + n));
      const found = await Promise.all(ids.map((id) => directory.findUsable(tenant, id)));
      expect(found.every((key) => key === undefined)).toBe(true);
    }
    const intervals = Math.floor((performance.now() - started) / 100);
    expect(reads.mock.calls.length).toBeLessThanOrEqual(intervals + 1);
    expect(new Set(froms())).toEqual(new Set([2]));
  });

  it('[I1] do not hide a key that another process has just created', async () => {
    await directory.findUsable(tenant, await createElsewhere());
    const flood = Array.from({ length: 50 }, (_, n) => directory.findUsable(tenant, strangeId(n)));
    const id = await createElsewhere();
    expect(await directory.findUsable(tenant, id)).toMatchObject({ id });
    await Promise.all(flood);
  });

  it('[I1] of unknown tenants are not cached, so they evict no real tenant', async () => {
    const id = await createElsewhere();
    await directory.findUsable(tenant, id);
    reads.mockClear();
    const own = tenantStream(tenant);
    reads.mockImplementation((stream, options) =>
      stream === own ? read(stream, options) : Promise.resolve([]),
    );
    const strangers = 20_000;
    for (let n = 0; n < strangers; n++)
      expect(await directory.findUsable(`stranger${n}`, strangeId(n))).toBeUndefined();
    expect(reads).toHaveBeenCalledTimes(strangers);
    ahead += 1_001;
    expect(await directory.findUsable(tenant, id)).toBeDefined();
    expect(froms().at(-1)).toBe(2);
  });
});
