import { afterEach, beforeEach, expect, it } from 'vitest';
import { v7 as uuid } from 'uuid';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { ResidentWordIndex } from '../../src/adapters/words/resident-word-index.ts';
import { parseFilter } from '../../src/domain/filter.ts';
import { decide, initialState, type MemoryValue } from '../../src/domain/memory/memory.ts';
import { weigh } from '../../src/domain/ranking/bm25.ts';
import { memoryStream } from '../../src/domain/streams.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { SqlExecutor } from '../../src/ports/sql.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { allProjections } from '../../src/projections/all.ts';
import { Generation } from '../../src/projections/generation.ts';
import { dropGeneration } from '../../src/projections/drop-generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { undivided } from '../../src/follow/partitions.ts';
import { beginRebuild, switchTo } from '../../src/projections/rebuild.ts';
import { RebuildCoordinator } from '../../src/projections/rebuild-coordinator.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import { SearchService } from '../../src/queries/search/search.ts';
import { adminOf } from '../support/admin.ts';
import {
  memoryKey,
  memoryValue,
  openTestStore,
  storeTestMemory,
  testContext,
  updateTestMemory,
  type TestStore,
} from '../support/event-store.ts';
import { eventually } from '../support/eventually.ts';
import { follow } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const embedders = soleEmbedder(deterministicEmbedder({ dimension: 16 }));
const projections = allProjections(embedders, { words: { inMemory: true } });
const lexical = projections.find(({ name }) => name === 'lexical')!;
const acme = { tenant: 'acme', table: 'read.lexical_g1' };
const defaults = { topK: 10, threshold: 0 };

let test: TestStore;
let index: ResidentWordIndex;
let search: SearchService;
let errors: unknown[];

beforeEach(async () => {
  test = await openTestStore();
  errors = [];
  for (const projection of projections) await ensureLive(test.sql, projection);
  await open(1_000_000);
});

async function open(mostBytes: number): Promise<void> {
  index = new ResidentWordIndex(test.sql, { mostBytes, onError: (error) => errors.push(error) });
  await index.start();
  await index.firstLoaded;
  const models = new ReadModels(test.sql, new WakeUp());
  search = new SearchService(models, embedders, systemClock, { words: index });
}

afterEach(async () => {
  test.sql.fault = () => undefined;
  await index.close();
  await test.close();
});

async function catchUp(): Promise<void> {
  for (const projection of projections)
    await follow(test, new Generation(test.sql, projection, 1), () => 1_000);
}

type Stored = Awaited<ReturnType<typeof storeTestMemory>>;

async function store(memory: Partial<MemoryValue>): Promise<Stored> {
  return storeTestMemory(test, { id: uuid(), ...memory });
}

async function storeIn(tenant: string, memory: Partial<MemoryValue>): Promise<void> {
  const value = memoryValue({ id: uuid(), ...memory });
  const context = testContext({ tenant, key: memoryKey(undefined, tenant) });
  const events = decide({ type: 'store', value }, initialState);
  await test.store.append(memoryStream(tenant, value.id), 'noStream', events, context);
}

/** Counts statements that contain `part` from now on. */
function counted(part: string): () => number {
  let count = 0;
  test.sql.fault = (statement) => {
    if (statement.includes(part)) count++;
    return undefined;
  };
  return () => count;
}

/** Builds the next generation of the lexical read model and drops the live one. */
async function rebuilt(): Promise<{ readonly table: string; readonly number: number }> {
  const walk = new RebuildCoordinator(test.sql, test.store, new AbortController().signal);
  const next = await beginRebuild(test.sql, lexical, undivided);
  await walk.fill(next);
  return { table: `read.lexical_g${next.number}`, number: next.number };
}

async function tablesWithTriggers(): Promise<unknown[]> {
  const rows = await test.sql.query<{ name: string }>(
    `select tgrelid::regclass::text as name from pg_trigger where tgname = 'note_insert'`,
  );
  return rows.map(({ name }) => name);
}

async function append({ stream, key, value }: Stored, type: string, data: object = {}): Promise<void> {
  const event = { type, data: { memoryId: value.id, ...data } } as Parameters<typeof test.store.append>[2][0];
  await test.store.append(stream, 'exists', [event], testContext({ key }));
}

/** Finds a term in the resident words, by default those of acme. */
async function found(term: string, set = acme, executor: SqlExecutor = test.sql) {
  if (!(await index.ready(set))) return undefined;
  const words = await index.words(executor, set);
  return words!.best(weigh([term], words!.statistics([term], 'all')), 100);
}

it('[A5] reflects a changed text at once, whoever asks first', async () => {
  const [tea, coffee] = [await store({ content: 'green tea' }), await store({ content: 'black coffee' })];
  await catchUp();
  expect(await found('tea')).toEqual([tea.value.id]);
  await updateTestMemory(test, coffee.stream, 'black tea');
  await append(tea, 'MemoryDeleted', { reason: 'outdated', retentionUntil: new Date().toISOString() });
  const third = await store({ content: 'tea, tea' });
  await catchUp();
  expect(await found('tea')).toEqual([third.value.id, coffee.value.id]);
  expect(await found('coffe')).toEqual([]);
  await append(tea, 'MemoryRestored');
  await catchUp();
  const inTransaction = await test.sql.transaction<unknown>((tx) => found('green', acme, tx), {
    tenant: 'acme',
    readOnly: true,
  });
  expect(inTransaction).toEqual([tea.value.id]);
  await eventually(() => test.sql.query(`select * from read.noted_changes where kind = 'words'`)).toEqual([]);
  expect(errors).toEqual([]);
});

it('[A5] a tenant has only its own words, and is loaded whatever its size', async () => {
  await index.close();
  await open(1);
  await store({ content: 'green tea' });
  await catchUp();
  expect(await found('tea')).toHaveLength(1);
  const globex = { ...acme, tenant: 'globex' };
  expect(await found('tea', globex)).toEqual([]);
  // Only one byte is allowed, so only the last tenant stays.
  await eventually(() => index.size).toBe(0);
  expect(await found('tea')).toHaveLength(1);
});

it('[A5] a search finds by words, and with filters that few matches pass', async () => {
  for (let n = 0; n < 600; n++)
    await store({
      content: `tea number ${n}`,
      metadata: { n },
      scope: { user: n % 2 ? 'bob' : 'alice' },
      layer: 'user',
    });
  await catchUp();
  const best = async (request: object) => {
    const { best, warnings } = await search.find(adminOf('acme'), {
      ...defaults,
      query: 'tea number',
      ...request,
    });
    expect(warnings).toEqual([]);
    return best.map(({ memory }) => memory.metadata['n'] as number);
  };
  expect(await best({ query: 'tea 599' })).toContain(599);
  // A condition on a part of a text has no prefilter set, so the search requests more and more candidates.
  expect(await best({ filter: parseFilter({ content: { contains: 'number 59' } }) })).toHaveLength(10);
  expect(await best({ filter: parseFilter({ content: { contains: 'number 599' } }) })).toEqual([599]);
  // Posting keys resolve this filter. Only its memories are compared by words and, if they are resident, vectors.
  expect(await best({ filter: parseFilter({ 'metadata.n': { gte: 590 } }) })).toHaveLength(10);
  expect(
    await best({ filter: parseFilter({ 'metadata.n': { gte: 500 }, content: { contains: 'number 577' } }) }),
  ).toEqual([577]);
  const odd = await best({ scope: { user: 'bob' }, topK: 100 });
  expect(odd).toHaveLength(100);
  expect(odd.every((n) => n % 2 === 1)).toBe(true);
});

it('[A5] a search uses only vectors and reports it if words cannot be loaded', async () => {
  await store({ content: 'green tea' });
  await catchUp();
  test.sql.fault = (statement) => (statement.includes('k.counts') ? 'before' : undefined);
  const ask = () => search.find(adminOf('acme'), { ...defaults, query: 'green tea' });
  const { best, warnings } = await ask();
  expect(best).toHaveLength(1);
  expect(warnings).toMatchObject([{ code: 'partial' }]);
  expect(errors).toHaveLength(1);
  // Loading is not retried at once, even if a filter leaves few memories or the search is as of a position.
  expect((await ask()).warnings).toHaveLength(1);
  const few = { ...defaults, query: 'green tea', tags: ['x'] };
  expect((await search.find(adminOf('acme'), few)).warnings).toHaveLength(1);
  const before = { ...defaults, query: 'green tea', asOf: 1 };
  expect((await search.find(adminOf('acme'), before)).warnings).toHaveLength(1);
});

it('[F4] follows a switch to another generation, and drops the former one', async () => {
  const tea = await store({ content: 'green tea' });
  await catchUp();
  expect(await found('tea')).toEqual([tea.value.id]);
  const next = await rebuilt();
  const second = { ...acme, table: next.table };
  await index.takeOver(second.table);
  expect(await index.words(test.sql, second)).toMatchObject({ documents: 1 });
  await switchTo(test.sql, 'lexical', next.number);
  expect(await found('tea', second)).toEqual([tea.value.id]);
  await expect.poll(tablesWithTriggers, { timeout: 20_000 }).toEqual([second.table]);
}, 40_000);

it('[F4] loads the generation that replaces one with words in the database', async () => {
  await index.close();
  await test.close();
  test = await openTestStore();
  const inDatabase = allProjections(embedders);
  for (const projection of inDatabase) await ensureLive(test.sql, projection);
  await open(1_000_000);
  await store({ content: 'green tea' });
  for (const projection of inDatabase)
    await follow(test, new Generation(test.sql, projection, 1), () => 1_000);
  const next = await rebuilt();
  expect(index.size).toBe(0);
  await index.takeOver(next.table);
  expect(index.size).toBe(1);
  await switchTo(test.sql, 'lexical', next.number);
  expect(await found('tea', { ...acme, table: next.table })).toHaveLength(1);
}, 40_000);

it('[F4] records no changes that no process reads, even if another process began to', async () => {
  await store({ content: 'green tea' });
  await catchUp();
  expect(await found('tea')).toHaveLength(1);
  await index.close();
  const next = await rebuilt();
  await switchTo(test.sql, 'lexical', next.number);
  await open(1_000_000);
  await expect.poll(tablesWithTriggers, { timeout: 20_000 }).toEqual([next.table]);
}, 40_000);

it('[F4] a search over dropped read models fails at once', async () => {
  await store({ content: 'green tea' });
  await catchUp();
  const view = await search.view();
  const next = await rebuilt();
  await switchTo(test.sql, 'lexical', next.number);
  await dropGeneration(test.sql, lexical, 1);
  const looks = counted('to_regclass');
  await expect(
    search.find(adminOf('acme'), { ...defaults, query: 'green tea' }, { view }),
  ).rejects.toMatchObject({
    code: '42P01',
  });
  expect(looks()).toBeLessThan(10);
}, 40_000);

it('[A5] a change causes no statements for unaffected tenants', async () => {
  await store({ content: 'green tea' });
  await catchUp();
  for (let n = 0; n < 100; n++) expect(await index.ready({ ...acme, tenant: `t${n}` })).toBe(true);
  const reads = counted('from read.noted_changes');
  await store({ content: 'black tea' });
  await catchUp();
  await eventually(() => test.sql.query(`select * from read.noted_changes where kind = 'words'`)).toEqual([]);
  // Each check reads the last change, the affected tenants and the changes of one tenant, and deletes them.
  expect(reads()).toBeLessThan(20);
  expect(await found('black')).toHaveLength(1);
});

it('[A5] words are loaded and found even if changes cannot be followed', async () => {
  let failures = 0;
  test.sql.fault = (statement) =>
    statement.includes('coalesce(max(number)') && failures++ === 1 ? 'before' : undefined;
  // The load makes the first check.
  expect(await index.ready({ ...acme, tenant: 'other' })).toBe(true);
  await store({ content: 'green tea' });
  await catchUp();
  await expect.poll(() => errors).toHaveLength(1);
  expect(await found('tea')).toHaveLength(1);
});

it('[A5] a tenant that is too large does not prevent others from being loaded at the start', async () => {
  await storeIn('large', { content: 'tea '.repeat(1_000).trim() });
  for (const tenant of ['a', 'b', 'c']) await storeIn(tenant, { content: 'green tea' });
  await catchUp();
  await index.close();
  await open(10_000);
  expect(index.size).toBe(3);
});

it('[A5] a search reports if its words were evicted when it begins', async () => {
  await index.close();
  await open(1);
  await store({ content: 'green tea' });
  await storeIn('globex', { content: 'other tea' });
  await catchUp();
  const words = {
    ready: async (set: typeof acme) => {
      const isThere = await index.ready(set);
      // Loading another tenant evicts this one.
      await index.ready({ ...set, tenant: 'globex' });
      return isThere;
    },
    words: index.words.bind(index),
    close: () => index.close(),
  };
  const models = new ReadModels(test.sql, new WakeUp());
  const service = new SearchService(models, embedders, systemClock, { words });
  for (const asOf of [undefined, await test.store.log.head()]) {
    const request = { ...defaults, query: 'green tea', ...(asOf !== undefined && { asOf }) };
    const { best, warnings } = await service.find(adminOf('acme'), request);
    expect(best).toHaveLength(1);
    expect(warnings).toMatchObject([{ code: 'partial' }]);
  }
});
