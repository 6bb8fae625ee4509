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
import { readSuperseding } from '../../src/queries/supersessions.ts';
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
const request = { query: 'green tea', topK: 10, threshold: 0 };

/** A database with a hook that runs after a view was taken, before it is used. */
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

/** Replaces every read model and drops the old generation, like a switch followed by a rebuild. */
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

/** Replaces all read models after each of the next `times` views. */
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

/** Queries that return the number of memories that they found. */
const queries: Record<string, () => Promise<number>> = {
  'a search': async () => (await search.find(caller, request)).best.length,
  'a search as of a position': async () =>
    (await search.find(caller, { ...request, asOf: await test.log.head() })).best.length,
  'a ranking for a comparison': async () =>
    (await search.ranking(caller, request, embedders.preferred.id)).length,
  'a search over several hops': async () => {
    const budget = { queries: 50, wallMs: 60_000 };
    return (await multiHop().search(caller, { ...request, depth: 1, pathThreshold: 0, budget })).results
      .length;
  },
  'a list': async () => (await listMemories(models, caller, { limit: 10 })).items.length,
  'counters of a memory': async () =>
    ids.length + (await readCounters(models, { tenant: 'acme' }, ids[0]!)).accessCount,
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

describe('a generation that is dropped between taking a view and reading in it', () => {
  it.each(Object.entries(queries))('[F4] %s is read again with a new view', async (_, query) => {
    const taken = replacing(1);
    expect(await query()).toBe(ids.length);
    expect(taken.views).toBeGreaterThan(1);
  });

  it('[F4] twice in a row only delays a search', async () => {
    replacing(2);
    expect((await search.find(caller, request)).best).toHaveLength(ids.length);
  });

  it('[F4] the successors of results are read with a new view', async () => {
    const finding = await search.find(caller, request);
    await replaceAll();
    const best = finding.best.map(({ memory, score }) => ({ memory, score }));
    expect(await readSuperseding(models, caller, { ...finding, best })).toEqual(new Map());
  });

  it('[F4] a search with a view of its caller fails, so that the caller can take a new one', async () => {
    const view = await search.view();
    await replaceAll();
    await expect(search.find(caller, request, { view })).rejects.toMatchObject({ code: '42P01' });
  });
});

describe('repeated reads', () => {
  const failing = (code: string) => () => {
    calls++;
    return Promise.reject(new SqlError({ message: 'failed', code }));
  };
  let calls = 0;

  beforeEach(() => {
    calls = 0;
  });

  it.each([
    ['a table that never exists', '42P01', 3],
    ['a read that loses a deadlock against the drop', '40P01', 3],
    ['any other error', '22012', 1],
  ])('[F4] end after a few views: %s', async (_, code, views) => {
    await expect(models.read({ projections: ['usage'] }, failing(code))).rejects.toMatchObject({ code });
    expect(calls).toBe(views);
  });
});
