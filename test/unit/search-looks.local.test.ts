import { v7 as uuid } from 'uuid';
import { afterEach, beforeAll, afterAll, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { layers, type Layer } from '../../src/domain/layers.ts';
import type { MemoryValue } from '../../src/domain/memory/memory.ts';
import { parseFilter } from '../../src/domain/filter.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { allProjections } from '../../src/projections/all.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import type { SearchRequest } from '../../src/queries/search/query.ts';
import { SearchService } from '../../src/queries/search/search.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, storeTestMemory, testContext, type TestStore } from '../support/event-store.ts';
import { FaultySql } from '../support/faulty-sql.ts';
import { follow, startAfresh } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const embedders = soleEmbedder(deterministicEmbedder({ dimension: 64 }));
const projections = allProjections(embedders);
const caller = adminOf('acme');
const text = 'Every change to the production database needs a second pair of eyes';
const defaults = { query: text, topK: 10, threshold: 0 };

/** A database with a hook that runs before a transaction. */
class WatchedSql extends FaultySql {
  transactions = 0;
  before: (count: number) => Promise<void> = () => Promise.resolve();

  override async transaction<T>(...[body, options]: Parameters<Sql['transaction']>): Promise<T> {
    await this.before(++this.transactions);
    return super.transaction(body, options);
  }
}

let test: TestStore;
let sql: WatchedSql;
let search: SearchService;

beforeAll(async () => {
  test = await openTestStore();
  sql = new WatchedSql(test.sql);
  search = new SearchService(new ReadModels(sql, new WakeUp()), embedders, systemClock);
});

afterEach(() => {
  sql.fault = () => undefined;
  sql.before = () => Promise.resolve();
});

afterAll(() => test.close());

type Stored = Awaited<ReturnType<typeof storeTestMemory>>;

/** Stores memories in the log and in the read models. */
async function store(memories: readonly Partial<MemoryValue>[]): Promise<Stored[]> {
  await startAfresh(test);
  const stored: Stored[] = [];
  for (const memory of memories) stored.push(await storeTestMemory(test, { id: uuid(), ...memory }));
  for (const projection of projections) await ensureLive(test.sql, projection);
  await catchUp();
  sql.transactions = 0;
  return stored;
}

async function catchUp(): Promise<void> {
  for (const projection of projections)
    await follow(test, new Generation(test.sql, projection, 1), () => 1_000);
}

const times = (count: number, layer: Layer, content: string) =>
  Array.from({ length: count }, () => ({
    layer,
    scope: layer === 'company' ? {} : { [layer]: 'x' },
    content,
    tags: ['kept'],
  }));

/** A copy of each text in each layer except company. A search drops all but one copy of each text. */
const copied = (texts: readonly string[]) =>
  texts.flatMap((content) =>
    layers.filter((layer) => layer !== 'company').flatMap((layer) => times(1, layer, content)),
  );

it('[A5] a second read of the candidates checks the filters again', async () => {
  const texts = [1, 2, 3, 4].map((number) => `${text} ${number} ${number}`);
  const stored = await store([...copied(texts), ...times(3, 'user', 'The database is changed on Mondays')]);
  const changed = stored.at(-1)!;
  const request = { ...defaults, topK: 5, filter: parseFilter({ tags: { contains: 'kept' } }) };
  const found = async () => (await search.find(caller, request)).best.map(({ memory }) => memory.id);
  // Of the first fifteen candidates at most three texts are left, so more are read in a separate transaction.
  expect(await found()).toContain(changed.value.id);
  expect(sql.transactions).toBeGreaterThan(1);

  sql.transactions = 0;
  sql.before = async (count) => {
    if (count !== 2) return;
    const data = { memoryId: changed.value.id, tags: ['other'] };
    const context = testContext({ key: changed.key });
    await test.store.append(changed.stream, 'exists', [{ type: 'MemoryUpdated', data }], context);
    await catchUp();
  };
  const ids = await found();
  expect(sql.transactions).toBeGreaterThan(1);
  expect(ids).not.toContain(changed.value.id);
  expect(ids).toHaveLength(5);
});

/** How often one search queries the engines. */
async function looksOf(request: Partial<SearchRequest> = {}) {
  let looks = 0;
  sql.fault = (statement) => {
    if (statement.includes('lexical_terms')) looks++;
    return undefined;
  };
  const { best } = await search.find(caller, { ...defaults, ...request });
  return { looks, texts: new Set(best.map(({ memory }) => memory.content)).size };
}

const others = (count: number) =>
  Array.from({ length: count }, (_, number) => `Database ${number} is reviewed on day ${number}`).flatMap(
    (content) => times(1, 'company', content),
  );

it('[A8] the engines are queried once without copies, however few results reach the threshold', async () => {
  await store([...times(1, 'user', text), ...times(20, 'company', text), ...others(130)]);
  expect(await looksOf()).toEqual({ looks: 1, texts: 10 });
  expect(await looksOf({ threshold: 0.7 })).toEqual({ looks: 1, texts: 1 });
  expect(await looksOf({ threshold: 0.7, topK: 110 })).toEqual({ looks: 1, texts: 1 });
});

it('[A6] the engines are queried again if copies were dropped, or if copies may hide a result', async () => {
  await store([...times(1, 'user', text), ...times(130, 'company', text), ...others(12)]);
  expect(await looksOf()).toEqual({ looks: 2, texts: 10 });
  await store([...times(130, 'company', text), ...others(12)]);
  expect(await looksOf()).toEqual({ looks: 2, texts: 1 });
});
