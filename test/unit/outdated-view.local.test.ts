import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { SqlError } from '../../src/adapters/sql/error.ts';
import type { KeyVault } from '../../src/ports/key-vault.ts';
import type { Row, SqlValue } from '../../src/ports/sql.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { allProjections } from '../../src/projections/all.ts';
import { Generation } from '../../src/projections/generation.ts';
import { dropGeneration } from '../../src/projections/drop-generation.ts';
import { createBeside, ensureLive, setState } from '../../src/projections/generations.ts';
import { readAuditEvents } from '../../src/queries/audit-events.ts';
import { readCounters } from '../../src/queries/get-memory.ts';
import { MultiHopSearch } from '../../src/queries/hops/multi-hop-search.ts';
import { listMemories } from '../../src/queries/list-memories.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import { findRelated } from '../../src/queries/related.ts';
import { VocabularyReader } from '../../src/queries/routing/vocabulary.ts';
import { recordedSearches } from '../../src/queries/search/recorded-searches.ts';
import { SearchService } from '../../src/queries/search/search.ts';
import { readStats } from '../../src/queries/stats.ts';
import { validateMemories } from '../../src/queries/validate.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, storeTestMemory, type TestStore } from '../support/event-store.ts';
import { FaultySql } from '../support/faulty-sql.ts';
import { follow } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const embedders = soleEmbedder(deterministicEmbedder({ dimension: 16 }));
const projections = allProjections(embedders);
const caller = adminOf('acme');
const asked = { query: 'green tea', topK: 10, threshold: 0, order: 'relevance' as const };

/** Lets something happen whenever a view was taken, before it is read in. */
class ViewedSql extends FaultySql {
  onView: () => Promise<void> = () => Promise.resolve();

  override async query<R = Row>(text: string, params?: readonly SqlValue[]): Promise<R[]> {
    const rows = await super.query<R>(text, params);
    if (text.includes('from read.active')) await this.onView();
    return rows;
  }
}

let test: TestStore;
let sql: ViewedSql;
let models: ReadModels;
let search: SearchService;
let ids: string[];

beforeAll(async () => {
  test = await openTestStore();
  const stored = [];
  for (const number of [1, 2, 3])
    stored.push(await storeTestMemory(test, { content: `green tea ${number}` }));
  ids = stored.map(({ value }) => value.id);
  for (const projection of projections) {
    await ensureLive(test.sql, projection);
    await follow(test, new Generation(test.sql, projection, 1), () => 100);
  }
  sql = new ViewedSql(test.sql);
  models = new ReadModels(sql, new WakeUp());
  search = new SearchService(models, embedders, systemClock);
});

afterAll(() => test.close());

beforeEach(() => {
  sql.onView = () => Promise.resolve();
});

/** As a switch and the next rebuild do, of every read model. */
async function replaceAll(): Promise<void> {
  for (const projection of projections) {
    const [live] = await test.sql.query<{ generation: number }>(
      'select generation from read.active where name = $1',
      [projection.name],
    );
    const fresh = await createBeside(test.sql, projection);
    await follow(test, fresh, () => 100);
    await setState(test.sql, projection.name, fresh.number, 'live');
    await test.sql.query('update read.active set generation = $2 where name = $1', [
      projection.name,
      fresh.number,
    ]);
    await dropGeneration(test.sql, projection, live!.generation);
  }
}

/** All read models are replaced once the next `times` views were taken. */
function replacing(times: number): { readonly views: number } {
  const taken = { views: 0 };
  sql.onView = async () => {
    if (taken.views++ < times) await replaceAll();
  };
  return taken;
}

const multiHop = (): MultiHopSearch =>
  new MultiHopSearch({
    models,
    search,
    mentions: (_, memories) => Promise.resolve(memories.map(() => [])),
    vault: { pseudonym: () => 'signed' } as unknown as KeyVault,
    clock: { now: () => new Date() },
    onFailure: () => undefined,
  });

/** Each answers how many memories it found. */
const queries: Record<string, () => Promise<number>> = {
  'a search': async () => (await search.find(caller, asked)).best.length,
  'a search as of a position': async () =>
    (await search.find(caller, { ...asked, asOf: await test.log.head() })).best.length,
  'a ranking for a comparison': async () =>
    (await search.ranking(caller, asked, embedders.preferred.id)).length,
  'a search over several hops': async () => {
    const budget = { queries: 50, wallMs: 60_000 };
    return (await multiHop().search(caller, { ...asked, depth: 1, pathThreshold: 0, budget })).results.length;
  },
  'a list': async () => (await listMemories(models, caller, { limit: 10 })).items.length,
  'counters of a memory': async () => ids.length + (await readCounters(models, 'acme', ids[0]!)).accessCount,
  'what is related': async () =>
    ids.length + (await findRelated(test.store, models, caller, ids[0]!, { depth: 1 })).items.length,
  'a validation': async () => (await validateMemories(test.store.log, models, caller, { ids })).compared,
  'the figures of a tenant': async () => (await readStats(models, caller, {})).total.active,
  'the audit': async () =>
    (await readAuditEvents(test.store, models, caller, { after: 0, limit: 10 })).events.length,
  'recorded searches': async () => ids.length + (await recordedSearches(test.store, models, 10)).length,
  'the vocabulary': async () => {
    const known = await new VocabularyReader(models).read(caller, { keys: ['alice'], kinds: [] });
    return known.values[0]!.memories;
  },
};

describe('a generation that is dropped between the view and what is read in it', () => {
  it.each(Object.entries(queries))('[F4] %s is read again in another view', async (_, query) => {
    const taken = replacing(1);
    expect(await query()).toBe(ids.length);
    expect(taken.views).toBeGreaterThan(1);
  });

  it('[F4] twice in a row delays a search, and no more', async () => {
    replacing(2);
    expect((await search.find(caller, asked)).best).toHaveLength(ids.length);
  });

  it('[F4] what supersedes the results is looked for in another view', async () => {
    const finding = await search.find(caller, asked);
    await replaceAll();
    const best = finding.best.map(({ memory, score }) => ({ memory, score }));
    expect(await search.superseding(caller, { ...finding, best })).toEqual(new Map());
  });

  it('[F4] a search in a view that its caller brought says that it is outdated', async () => {
    const view = await search.view();
    await replaceAll();
    await expect(search.find(caller, asked, view)).rejects.toMatchObject({ code: '42P01' });
  });
});

describe('what reads again', () => {
  const failing = (code: string) => () => {
    calls++;
    return Promise.reject(new SqlError({ message: 'failed', code }));
  };
  let calls = 0;

  beforeEach(() => {
    calls = 0;
  });

  it.each([
    ['a table that is never there', '42P01', 3],
    ['a reader that gives way to whoever drops', '40P01', 3],
    ['any other fault', '22012', 1],
  ])('[F4] %s ends after a few views', async (_, code, views) => {
    await expect(models.read({ projections: ['usage'] }, failing(code))).rejects.toMatchObject({ code });
    expect(calls).toBe(views);
  });
});
