import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { openSqlLeases } from '../../src/adapters/sql/leases.ts';
import type { Transport } from '../../src/ports/transport.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { allProjections } from '../../src/projections/all.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { ProjectionRunner } from '../../src/projections/runner.ts';
import { openTestStore, type TestStore } from './event-store.ts';
import { Journal } from './journal.ts';
import { soleEmbedder } from './sole-embedder.ts';

/** All read models, and a journal that shows repeated events. */
export function projectionsOf(journal: Journal = new Journal('journal')): readonly Projection[] {
  return [...allProjections(soleEmbedder(deterministicEmbedder({ dimension: 16 }))), journal];
}

/** Opens log, vault and read models in one database of a server. `rootKey` opens the vault. */
export async function openServerStore(url: string, rootKey?: Uint8Array): Promise<TestStore> {
  return openTestStore(await openPostgres({ url, maxConnections: 8 }), rootKey);
}

export interface ProjectorOptions {
  readonly transport: Transport;
  readonly prefix: string;
  readonly holder: string;
  readonly projections?: readonly Projection[];
  readonly onError?: (projection: string, error: unknown) => void;
}

/** The projections of one process, not started yet. */
export async function projectorOf({ sql, store }: TestStore, options: ProjectorOptions) {
  const { transport, prefix, holder, projections = projectionsOf(), onError = () => {} } = options;
  const progress = new WakeUp();
  const leases = await openSqlLeases(sql, holder);
  const topics = { transport, prefix };
  return new ProjectionRunner({ sql, store, projections, progress, leases, topics, onError });
}
