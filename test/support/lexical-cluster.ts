import { commandServices } from '../../src/commands/context.ts';
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { openOpenSearch, type OpenSearchOptions } from '../../src/adapters/opensearch/opensearch.ts';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { openSqlLeases } from '../../src/adapters/sql/leases.ts';
import { eraseMemory } from '../../src/commands/erase-memory.ts';
import type { Filter } from '../../src/domain/filter.ts';
import type { Layer } from '../../src/domain/layers.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { Embedder } from '../../src/ports/embedder.ts';
import type { Leases } from '../../src/ports/leases.ts';
import type { LexicalIndex } from '../../src/ports/lexical-index.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { allProjections } from '../../src/projections/all.ts';
import { ProjectionOperations } from '../../src/projections/operations.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { ProjectionRunner } from '../../src/projections/runner.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import type { Finding } from '../../src/queries/search/finding.ts';
import { SearchService } from '../../src/queries/search/search.ts';
import { adminOf } from './admin.ts';
import { freshDatabase } from './database.ts';
import { openTestStore, type TestStore } from './event-store.ts';
import { FaultyIndex } from './faulty-index.ts';
import { soleEmbedder } from './sole-embedder.ts';

/** A store in PostgreSQL with a lexical index in OpenSearch, with new names in both. */
export interface LexicalCluster extends TestStore {
  readonly index: LexicalIndex;
  readonly faulty: FaultyIndex;
  readonly prefix: string;
  readonly embedder: Embedder;
  readonly projections: readonly Projection[];
}

/** Projections and searches use the index through `faulty`. */
export async function openLexicalCluster(
  url: string,
  options: Partial<OpenSearchOptions> = {},
): Promise<LexicalCluster> {
  const database = await freshDatabase();
  const test = await openTestStore(await openPostgres({ url: database.url }));
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const below = openOpenSearch({ url, prefix, ...options });
  const faulty = new FaultyIndex(below);
  const { index } = faulty;
  const embedder = deterministicEmbedder({ dimension: 16 });
  return {
    ...test,
    index,
    faulty,
    prefix,
    embedder,
    projections: allProjections(soleEmbedder(embedder), { words: { index } }),
    async close() {
      faulty.mend();
      for (const generation of await below.generations()) await below.dropGeneration(generation);
      await below.close();
      await test.close();
      await database.drop();
    },
  };
}

interface Asked {
  readonly tenant?: string;
  readonly topK?: number;
  readonly filter?: Filter;
  readonly layers?: readonly Layer[];
  /** By default the head of the log. */
  readonly minPosition?: number;
}

/** Running projections of a store, and searches in them. */
export class RunningModels {
  readonly #test: TestStore;
  readonly runner: ProjectionRunner;
  readonly operations: ProjectionOperations;
  readonly errors: [string, unknown][] = [];
  readonly #search: SearchService;

  private constructor(
    test: TestStore,
    embedder: Embedder,
    projections: readonly Projection[],
    leases: Leases,
    index: LexicalIndex | undefined,
  ) {
    const { sql, store } = test;
    const progress = new WakeUp();
    this.#test = test;
    this.runner = new ProjectionRunner({
      sql,
      store,
      projections,
      progress,
      leases,
      onError: (projection, error) => void this.errors.push([projection, error]),
    });
    this.operations = new ProjectionOperations(sql, store, this.runner);
    this.#search = new SearchService(new ReadModels(sql, progress), soleEmbedder(embedder), systemClock, {
      lexical: index,
    });
  }

  static async start(
    test: TestStore,
    embedder: Embedder,
    projections: readonly Projection[],
    index?: LexicalIndex,
  ): Promise<RunningModels> {
    const leases = await openSqlLeases(test.sql, randomBytes(4).toString('hex'));
    const models = new RunningModels(test, embedder, projections, leases, index);
    await models.runner.prepare();
    await models.runner.start();
    return models;
  }

  /** Searches as an admin of the tenant, up to the head of the log. Returns ids and scores, best first. */
  async find(query: string, more: Asked = {}) {
    const { best } = await this.answer(query, more);
    return best.map(({ memory, score }) => ({ id: memory.id, score }));
  }

  async answer(query: string, { tenant = 'acme', ...more }: Asked = {}): Promise<Finding> {
    const minPosition = more.minPosition ?? (await this.#test.log.head());
    const request = { query, topK: 10, threshold: 0, waitMs: 20_000, ...more };
    return this.#search.find(adminOf(tenant), { ...request, minPosition });
  }

  async stop(): Promise<void> {
    await this.operations.stop();
    await this.runner.stop();
  }
}

/** Erases a memory of tenant acme: appends the event and destroys the key. */
export async function eraseTestMemory({ store, vault }: TestStore, id: string): Promise<void> {
  const services = commandServices({ store, vault, clock: systemClock, newId: uuid });
  await eraseMemory(services, { caller: adminOf('acme'), cause: 'user', correlationId: 'request' }, id);
}
