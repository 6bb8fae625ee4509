import type { TenantContext } from '../domain/access/context.ts';
import { isVisible, visible } from '../domain/access/visibility.ts';
import { affirmationsAfter, type AffirmationEvent, type Affirmations } from '../domain/memory/affirmation.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { foldMemory, isLive, type LiveSnapshot } from '../domain/memory/snapshot.ts';
import { noAccess, viewOf, type Counters, type MemoryView } from '../domain/memory/view.ts';
import { Problem } from '../domain/problems.ts';
import { mayRead } from '../domain/trust/access.ts';
import type { TrustPolicy } from '../domain/trust/policy.ts';
import { isWithheld } from '../domain/trust/trust.ts';
import { affirmationsStream, isMemoryId, memoryStream } from '../domain/streams.ts';
import type { EventStore, LoadedEvent } from '../ports/event-store.ts';
import { affirmedSql, countersOf, feedbackCounts, type CountersRow } from './memory-row.ts';
import type { ReadModels, Wait } from './read-models.ts';
import { Parameters } from './sql-builder.ts';
import { useSql } from './use-sql.ts';

/**
 * The memory and its affirmations, read from their streams: always the latest acknowledged state, or the one at `asOf`. Its other
 * counters come from read models and include them up to `minPosition`.
 */
export async function getMemory(
  store: EventStore,
  models: ReadModels,
  caller: TenantContext,
  memoryId: string,
  {
    asOf,
    withheld,
    ...wait
  }: { readonly asOf?: number | undefined; readonly withheld?: WithheldAccess } & Wait,
): Promise<MemoryView> {
  const [{ loaded, snapshot: latest }, affirmations] = await Promise.all([
    loadVisible(store, caller, memoryId, withheld),
    readAffirmations(store, caller.tenant, memoryId, asOf),
  ]);
  const snapshot = asOf === undefined ? latest : snapshotAt(loaded, asOf);
  const counters = await readCounters(models, caller, memoryId, wait);
  return viewOf(caller.tenant, snapshot, { ...counters, ...affirmations });
}

/** Who reads memories that are withheld. */
export interface WithheldAccess {
  /** The trust policies that apply to a memory with these labels. */
  readonly policies: (spaces: readonly string[]) => Promise<readonly TrustPolicy[]>;
  /** Whether the caller asks for what it wrote and what waits for a review. */
  readonly asWriter: boolean;
}

/** The memory as it was at a position. Throws `not-found` if it did not exist yet. */
export function snapshotAt(loaded: readonly LoadedEvent<MemoryEvent>[], asOf: number): LiveSnapshot {
  const snapshot = foldMemory(loaded.filter(({ position }) => position <= asOf));
  if (!isLive(snapshot)) throw unknownMemory();
  return snapshot;
}

/** How often a memory was told again up to the position `asOf`, by default up to now. */
async function readAffirmations(
  store: EventStore,
  tenant: string,
  memoryId: string,
  asOf = Infinity,
): Promise<Affirmations> {
  const stream = affirmationsStream(tenant, memoryId);
  const size = asOf === Infinity ? 1 : 500;
  for (let from: number | undefined; ;) {
    const page = await store.loadLast<AffirmationEvent>(stream, size, from);
    const last = page.find(({ position }) => position <= asOf);
    const first = page.at(-1);
    if (last || !first || first.revision === 0) return affirmationsAfter(last?.event);
    from = first.revision - 1;
  }
}

/** A memory's events. Throws the same `not-found` whether the memory is unknown, erased, or hidden from the caller now. */
export async function loadVisible(
  store: EventStore,
  caller: TenantContext,
  memoryId: string,
  withheld?: WithheldAccess,
): Promise<{ loaded: LoadedEvent<MemoryEvent>[]; snapshot: LiveSnapshot }> {
  if (!isMemoryId(memoryId)) throw unknownMemory();
  const loaded = await store.load<MemoryEvent>(memoryStream(caller.tenant, memoryId));
  const snapshot = foldMemory(loaded);
  if (!isLive(snapshot) || !isVisible(visible(caller), snapshot.state.value)) throw unknownMemory();
  const { value } = snapshot.state;
  if (isWithheld(value)) {
    const { asWriter = false } = withheld ?? {};
    const policies = (await withheld?.policies(value.spaces)) ?? [];
    if (!withheld || !mayRead(caller, value, { policies, asWriter })) throw unknownMemory();
  }
  return { loaded, snapshot };
}

/** Counters of a memory that come from other streams. They may lag, but not behind `minPosition`. */
export async function readCounters(
  models: ReadModels,
  { tenant, user }: Pick<TenantContext, 'tenant' | 'user'>,
  memoryId: string,
  wait: Wait = {},
): Promise<Counters> {
  const [row] = await models.read({ projections: ['usage', 'feedback', 'values'], ...wait }, (view) => {
    const parameters = new Parameters();
    const keys = { tenant: parameters.bind(tenant), memoryId: `${parameters.bind(memoryId)}::uuid` };
    return models.sql.queryAs<CountersRow & Record<string, unknown>>(
      tenant,
      `select u.accesses, u.last_accessed_at, ${feedbackCounts(view.table('feedback'), keys.tenant, keys.memoryId)} as feedback,
         ${useSql(view, user, keys, parameters)} as use, ${affirmedSql(view, keys, parameters)} as affirmed
       from (select 1) one
       left join ${view.table('usage')} u on u.tenant = ${keys.tenant} and u.memory_id = ${keys.memoryId}`,
      parameters.values,
    );
  });
  return row ? countersOf(row) : noAccess;
}

function unknownMemory(): Problem {
  return new Problem('not-found', 'no such memory');
}
