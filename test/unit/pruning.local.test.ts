import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { archiveMemory } from '../../src/commands/archive-memory.ts';
import { commandServices, type CommandContext, type CommandServices } from '../../src/commands/context.ts';
import { configureSpace, patchSpace, removeSpace } from '../../src/commands/spaces/configure-space.ts';
import { storeMemory, storeMemoryInput } from '../../src/commands/store-memory.ts';
import type { MemoryEvent } from '../../src/domain/memory/events.ts';
import { foldMemory, isLive } from '../../src/domain/memory/snapshot.ts';
import { spaceConfigSchema } from '../../src/domain/spaces/space-config.ts';
import { memoryStream, spacesStream } from '../../src/domain/streams.ts';
import type { Term } from '../../src/follow/processor.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { memories } from '../../src/projections/memories/memories.ts';
import { statistics } from '../../src/projections/statistics/statistics.ts';
import { Lifetimes } from '../../src/queries/lifetimes.ts';
import { PruningRunner } from '../../src/reactors/pruning-runner.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { eventually } from '../support/eventually.ts';
import { beginReadModel, type LiveReadModel } from '../support/live-read-model.ts';

const dayMs = 86_400_000;

let test: TestStore;
let services: CommandServices;
let models: readonly LiveReadModel[];
let lifetimes: Lifetimes;
/** Days by which the clock of the runner is ahead. */
let days = 0;

beforeAll(async () => {
  test = await openTestStore();
  models = [await beginReadModel(test, memories), await beginReadModel(test, statistics)];
  lifetimes = new Lifetimes(models[0]!.models);
  services = commandServices({ store: test.store, vault: test.vault, clock: systemClock, newId });
});
afterAll(() => test.close());

const contextOf = (tenant: string): CommandContext => ({
  caller: adminOf(tenant),
  cause: 'user',
  correlationId: 'p',
});

async function configure(tenant: string, space: string, fields: object): Promise<void> {
  await configureSpace(services, contextOf(tenant), space, spaceConfigSchema.parse(fields));
}

async function store(tenant: string, content: string, more: object = {}): Promise<string> {
  const input = storeMemoryInput.parse({ content, layer: 'user', scope: { user: 'ada' }, ...more });
  const { snapshot } = await storeMemory(services, contextOf(tenant), input);
  return snapshot.state.value.id;
}

async function memory(tenant: string, id: string) {
  const loaded = await test.store.load<MemoryEvent>(memoryStream(tenant, id));
  const { state, revision } = foldMemory(loaded);
  const last = loaded.at(-1)!;
  return {
    state: state.status,
    value: isLive(foldMemory(loaded)) ? (state as never)['value'] : {},
    revision,
    last,
  };
}

const statesOf = (tenant: string, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await memory(tenant, id)).state));

async function follow(): Promise<void> {
  for (const model of models) await model.follow();
}

/** Runs the process manager until `stop` is called. */
function run({ onSlice = () => undefined }: { readonly onSlice?: (stop: () => void) => void } = {}) {
  const ending = new AbortController();
  const term: Term = {
    epoch: 1,
    signal: ending.signal,
    began: () => undefined,
    reached: () => undefined,
    isHeld: true,
    report: (error) => {
      throw error;
    },
    fail: (error) => {
      throw error;
    },
  };
  const wait = { waitMs: 5_000 };
  const reads = {
    expired: (at: Date, limit: number, except: readonly string[], minPosition: number) =>
      lifetimes.expired(at, limit, except, { minPosition, ...wait }),
    nextExpiry: (except: readonly string[]) => lifetimes.nextExpiry(except),
    inSpace: (page: Parameters<typeof lifetimes.inSpace>[0], minPosition: number) =>
      lifetimes.inSpace(page, { minPosition, ...wait }),
    applied: async () => {
      await follow();
      onSlice(() => ending.abort());
    },
  };
  const openClock = async () => ({ now: () => new Date(Date.now() + days * dayMs) });
  const runner = new PruningRunner(
    { services, reads, openClock },
    { ...contextOf('system'), caller: { ...adminOf('system'), principal: 'system' }, cause: 'system' },
  );
  const running = runner.run(term);
  return {
    ended: running,
    async stop() {
      ending.abort();
      await running;
    },
  };
}

it('[A19] deletes what is older than the retention of all its spaces, and nothing that is kept', async () => {
  const tenant = 'ages';
  await configure(tenant, 'month', { retentionDays: 30 });
  await configure(tenant, 'year', { retentionDays: 365 });
  const over = await store(tenant, 'over', { spaces: ['month'] });
  const archived = await store(tenant, 'archived and over', { spaces: ['month'] });
  await archiveMemory(services, contextOf(tenant), archived, undefined);
  const stay = [
    await store(tenant, 'longer in another', { spaces: ['month', 'year'] }),
    await store(tenant, 'for ever in another', { spaces: ['month', 'free'] }),
    await store(tenant, 'kept', { spaces: ['month'], retention: 'keep' }),
    await store(tenant, 'in no space'),
  ];
  await follow();
  days = 31;
  const { stop } = run();
  await eventually(() => statesOf(tenant, [over, archived])).toEqual(['deleted', 'deleted']);
  await stop();
  expect(await statesOf(tenant, stay)).toEqual(stay.map(() => 'active'));
  const { last } = await memory(tenant, over);
  expect(last.event.data).toMatchObject({ because: 'retention' });
  expect(last).toMatchObject({ reason: 'retention', metadata: { cause: 'system' } });
});

it('[A19] a process that is stopped in the middle of it leaves the rest to the next one', async () => {
  const tenant = 'stopped';
  await configure(tenant, 'month', { retentionDays: 30 });
  const ids = await Promise.all(
    Array.from({ length: 300 }, (_, n) => store(tenant, `note ${n}`, { spaces: ['month'] })),
  );
  await follow();
  days = 31;
  const first = run({ onSlice: (stop) => stop() });
  await first.ended;
  const left = (await statesOf(tenant, ids)).filter((state) => state === 'active');
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(300);
  const second = run();
  await eventually(async () => new Set(await statesOf(tenant, ids))).toEqual(new Set(['deleted']));
  await second.stop();
  const revisions = await Promise.all(ids.map(async (id) => (await memory(tenant, id)).revision));
  expect(new Set(revisions)).toEqual(new Set([1]));
});

it('[A19] a retention that is prolonged while it works counts from the next slice', async () => {
  const tenant = 'prolonged';
  await configure(tenant, 'month', { retentionDays: 30 });
  const ids = await Promise.all(
    Array.from({ length: 300 }, (_, n) => store(tenant, `note ${n}`, { spaces: ['month'] })),
  );
  await follow();
  days = 31;
  let slices = 0;
  let prolonged: Promise<unknown> | undefined;
  const { stop } = run({
    onSlice: () => {
      slices++;
      prolonged ??= patchSpace(services, contextOf(tenant), 'month', { retentionDays: 365 });
    },
  });
  await eventually(() => slices).toBeGreaterThan(0);
  await prolonged;
  await stop();
  const states = await statesOf(tenant, ids);
  expect(states.filter((state) => state === 'deleted')).toHaveLength(200);
});

it('[A19] deletes what has expired, whatever its spaces say', async () => {
  const tenant = 'expiry';
  days = 0;
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const over = await store(tenant, 'over', { expiresAt: at(-1_000), spaces: ['free'] });
  const kept = await store(tenant, 'kept', { expiresAt: at(-1_000), retention: 'keep' });
  const later = await store(tenant, 'later', { expiresAt: at(dayMs) });
  await follow();
  const { stop } = run();
  await eventually(() => statesOf(tenant, [over, kept, later])).toEqual(['deleted', 'active', 'active']);
  await stop();
  expect((await memory(tenant, over)).last).toMatchObject({ reason: 'expired' });
});

it('[H6] takes the label of a removed space from the memories that had it', async () => {
  const tenant = 'detaching';
  days = 0;
  await configure(tenant, 'old', {});
  const before = await store(tenant, 'before', { spaces: ['old', 'other'] });
  await removeSpace(services, contextOf(tenant), 'old', { detach: true });
  const after = await store(tenant, 'after', { spaces: ['old'] });
  await follow();
  const { stop } = run();
  await eventually(async () => (await test.store.load(spacesStream(tenant))).at(-1)!.event.type).toBe(
    'SpaceDetached',
  );
  await stop();
  expect((await memory(tenant, before)).value).toMatchObject({ spaces: ['other'] });
  expect((await memory(tenant, after)).value).toMatchObject({ spaces: ['old'] });
});
