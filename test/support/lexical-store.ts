import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { Generation } from '../../src/projections/generation.ts';
import { createBeside, ensureLive } from '../../src/projections/generations.ts';
import { lexical } from '../../src/projections/lexical/lexical.ts';
import type { RebuildResult } from '../../src/projections/rebuild.ts';
import { RebuildCoordinator } from '../../src/projections/rebuild-coordinator.ts';
import { openLexicalCluster, type LexicalCluster } from './lexical-cluster.ts';
import { startAfresh } from './read-models.ts';

/** The lexical read model with its own OpenSearch, without any generation at the beginning of each test. */
export interface LexicalStore extends LexicalCluster {
  projection: ReturnType<typeof lexical>;
  /** Removes all events, read models and indexes. */
  reset(): Promise<void>;
  /** Begins the live generation. */
  live(): Promise<Generation>;
  /** Fills another generation next to it. */
  rebuilt(): Promise<RebuildResult>;
}

/** A store for all tests of a `describe`. */
export function useLexicalStore(url: string): LexicalStore {
  const test = {} as LexicalStore;
  beforeAll(async () => {
    const cluster = await openLexicalCluster(url, { writePatienceMs: 500 });
    const projection = lexical({ index: cluster.index });
    Object.assign(test, cluster, {
      projection,
      async reset() {
        await startAfresh(cluster);
        for (const generation of await cluster.index.generations())
          await cluster.index.dropGeneration(generation);
      },
      async live() {
        await ensureLive(cluster.sql, projection);
        return new Generation(cluster.sql, projection, 1);
      },
      async rebuilt() {
        const beside = await createBeside(cluster.sql, projection);
        return new RebuildCoordinator(cluster.sql, cluster.store, new AbortController().signal).fill(beside);
      },
    } satisfies Partial<LexicalStore>);
  });
  afterAll(() => test.close?.());
  beforeEach(() => test.reset());
  afterEach(() => {
    test.sql.fault = () => undefined;
    test.faulty.mend();
  });
  return test;
}
