import { afterEach, beforeEach, expect, it } from 'vitest';
import { v7 as uuid } from 'uuid';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { MemoryWordIndex } from '../../src/adapters/words/memory-word-index.ts';
import { parseFilter } from '../../src/domain/filter.ts';
import type { MemoryValue } from '../../src/domain/memory/memory.ts';
import { weigh } from '../../src/domain/ranking/bm25.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { SqlExecutor } from '../../src/ports/sql.ts';
import { WakeUp } from '../../src/ports/wake-up.ts';
import { allProjections } from '../../src/projections/all.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { undivided } from '../../src/projections/partitions.ts';
import { beginRebuild, switchTo } from '../../src/projections/rebuild.ts';
import { RebuildWalk } from '../../src/projections/rebuild-walk.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import { SearchService } from '../../src/queries/search/search.ts';
import { adminOf } from '../support/admin.ts';
import {
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
const acme = { tenant: 'acme', table: 'read.lexical_g1' };
const asked = { topK: 10, threshold: 0, order: 'relevance' as const };

let test: TestStore;
let index: MemoryWordIndex;
let search: SearchService;
let errors: unknown[];

beforeEach(async () => {
  test = await openTestStore();
  errors = [];
  for (const projection of projections) await ensureLive(test.sql, projection);
  await open(1_000_000);
});

async function open(mostBytes: number): Promise<void> {
  index = new MemoryWordIndex(test.sql, { mostBytes, onError: (error) => errors.push(error) });
  await index.start();
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

async function append({ stream, key, value }: Stored, type: string, data: object = {}): Promise<void> {
  const event = { type, data: { memoryId: value.id, ...data } } as Parameters<typeof test.store.append>[2][0];
  await test.store.append(stream, 'exists', [event], testContext({ key }));
}

/** The words of acme's memories as they are found in memory. */
async function found(term: string, set = acme, executor: SqlExecutor = test.sql) {
  if (!(await index.ready(set))) return undefined;
  const words = await index.words(executor, set);
  const documentFrequency = new Map([[term, words!.documentFrequency(term)]]);
  return words!.best(weigh([term], { documents: words!.documents, documentFrequency }), 100);
}

it('[A5] knows at once what became of a text, whoever asks first', async () => {
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

it('[A5] a tenant has its own words only, and is there whatever it takes', async () => {
  await index.close();
  await open(1);
  await store({ content: 'green tea' });
  await catchUp();
  expect(await found('tea')).toHaveLength(1);
  const globex = { ...acme, tenant: 'globex' };
  expect(await found('tea', globex)).toEqual([]);
  // No more than one byte is allowed: who came last stays.
  await eventually(() => index.size).toBe(0);
  expect(await found('tea')).toHaveLength(1);
});

it('[A5] a search finds by words, and by filters that leave few of those that match', async () => {
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
      ...asked,
      query: 'tea number',
      ...request,
    });
    expect(warnings).toEqual([]);
    return best.map(({ memory }) => memory.metadata['n'] as number);
  };
  expect(await best({ query: 'tea 599' })).toContain(599);
  // Parts of texts narrow nothing beforehand: more and more of what matches is asked.
  expect(await best({ filter: parseFilter({ content: { contains: 'number 59' } }) })).toHaveLength(10);
  expect(await best({ filter: parseFilter({ content: { contains: 'number 599' } }) })).toEqual([599]);
  // Keys tell these: words and, where they are in memory, vectors are compared among them alone.
  expect(await best({ filter: parseFilter({ 'metadata.n': { gte: 590 } }) })).toHaveLength(10);
  expect(
    await best({ filter: parseFilter({ 'metadata.n': { gte: 500 }, content: { contains: 'number 577' } }) }),
  ).toEqual([577]);
  const odd = await best({ scope: { user: 'bob' }, topK: 100 });
  expect(odd).toHaveLength(100);
  expect(odd.every((n) => n % 2 === 1)).toBe(true);
});

it('[A5] where words cannot be loaded a search goes by meaning and says so', async () => {
  await store({ content: 'green tea' });
  await catchUp();
  test.sql.fault = (statement) => (statement.includes('k.counts') ? 'before' : undefined);
  const ask = () => search.find(adminOf('acme'), { ...asked, query: 'green tea' });
  const { best, warnings } = await ask();
  expect(best).toHaveLength(1);
  expect(warnings).toMatchObject([{ code: 'partial' }]);
  expect(errors).toHaveLength(1);
  // It is not tried again at once, also where a filter leaves few, or as of a position.
  expect((await ask()).warnings).toHaveLength(1);
  const few = { ...asked, query: 'green tea', tags: ['x'] };
  expect((await search.find(adminOf('acme'), few)).warnings).toHaveLength(1);
  const before = { ...asked, query: 'green tea', asOf: 1 };
  expect((await search.find(adminOf('acme'), before)).warnings).toHaveLength(1);
});

it('[F4] follows a generation that is switched to, and lets the former one go', async () => {
  const tea = await store({ content: 'green tea' });
  await catchUp();
  expect(await found('tea')).toEqual([tea.value.id]);
  const lexical = projections.find(({ name }) => name === 'lexical')!;
  const walk = new RebuildWalk(test.sql, test.store, new AbortController().signal);
  const next = await beginRebuild(test.sql, lexical, undivided);
  const { digest, liveDigest } = await walk.fill(next);
  expect(digest).toBe(liveDigest);
  const second = { ...acme, table: `read.lexical_g${next.number}` };
  await index.takeOver(second.table);
  expect(await index.words(test.sql, second)).toMatchObject({ documents: 1 });
  await switchTo(test.sql, 'lexical', next.number);
  expect(await found('tea', second)).toEqual([tea.value.id]);
  const triggers = () =>
    test.sql.query(`select tgrelid::regclass::text as name from pg_trigger where tgname = 'note_insert'`);
  await expect.poll(triggers, { timeout: 20_000 }).toEqual([{ name: second.table }]);
}, 40_000);
