import type { TenantContext } from '../../domain/access/context.ts';
import { visible } from '../../domain/access/visibility.ts';
import type { Resolution } from '../../domain/duplicates/events.ts';
import { isMemoryId } from '../../domain/streams.ts';
import { fingerprintOf, readCursor, writeCursor } from '../cursors.ts';
import type { ReadModels, ReadView, Wait } from '../read-models.ts';
import { regionCondition } from '../scope-sql.ts';
import { allOf, Parameters } from '../sql-builder.ts';

/** A cluster as far as a caller sees its members. */
export interface ShownCluster {
  readonly id: string;
  readonly space: string;
  readonly representative: string;
  /** The most similar to the representative first. */
  readonly members: readonly { readonly id: string; readonly similarity: number }[];
  readonly resolution: Resolution;
}

export const clusterStates = ['open', 'resolved'] as const;

export interface DuplicatesFilter {
  readonly space?: string | undefined;
  readonly state?: (typeof clusterStates)[number] | undefined;
  /** Only clusters with this memory. */
  readonly memory?: string | undefined;
}

export interface ListedDuplicates {
  readonly items: readonly ShownCluster[];
  readonly nextCursor: string | undefined;
  readonly position: number;
}

/** The clusters whose members the caller sees, the oldest first. */
export async function listDuplicates(
  models: ReadModels,
  caller: TenantContext,
  {
    cursor,
    limit,
    wait,
    ...filter
  }: DuplicatesFilter & {
    readonly cursor?: string | undefined;
    readonly limit: number;
    readonly wait: Wait;
  },
): Promise<ListedDuplicates> {
  const bound = fingerprintOf({ duplicates: { ...filter } });
  const after = cursor === undefined ? undefined : readCursor(cursor, bound);
  return models.read({ projections: ['duplicates', 'memories'], ...wait }, async (view) => {
    const found = await readClusters(models, view, caller, { ...filter, after, limit: limit + 1 });
    const items = found.slice(0, limit);
    const nextCursor = found.length > limit ? writeCursor(items.at(-1)!.id, bound) : undefined;
    return { items, nextCursor, position: view.position };
  });
}

/**
 * Clusters in ascending order of ids, without those in which the caller sees fewer than two memories. The view needs `duplicates` and
 * `memories`.
 */
export async function readClusters(
  models: ReadModels,
  view: ReadView,
  caller: TenantContext,
  {
    space,
    state,
    memory,
    spaces,
    after,
    limit,
  }: DuplicatesFilter & {
    /** Only clusters of these spaces. */
    readonly spaces?: readonly string[] | undefined;
    readonly after?: string | undefined;
    readonly limit: number;
  },
): Promise<ShownCluster[]> {
  if (memory !== undefined && !isMemoryId(memory)) return [];
  const parameters = new Parameters();
  const tenant = parameters.bind(caller.tenant);
  const conditions = [
    `c.tenant = ${tenant}`,
    ...(space === undefined ? [] : [`c.space = ${parameters.bind(space)}`]),
    ...(spaces === undefined ? [] : [`c.space = any (${parameters.bind([...spaces])}::text[])`]),
    ...(state === undefined ? [] : [`c.resolution ${state === 'open' ? '=' : '<>'} 'manual'`]),
    ...(after !== undefined && isMemoryId(after) ? [`c.cluster_id > ${parameters.bind(after)}::uuid`] : []),
    ...(memory === undefined
      ? []
      : [
          `c.cluster_id = any (array(select d.cluster_id from ${view.table('duplicates', 'duplicate_members')} d
             where d.tenant = ${tenant} and d.memory_id = ${parameters.bind(memory)}::uuid))`,
        ]),
  ];
  // What the resolution has deleted still belongs to the cluster, so that the decision can be taken back.
  const shown = allOf([
    regionCondition({ tenant: caller.tenant, visibility: visible(caller) }, 'm', parameters),
    'm.to_position is null',
    `(m.state = 'active' and c.space = any (m.spaces) or m.state = 'deleted' and c.resolution = 'keep_representative')`,
  ]);
  const rows = await models.sql.queryAs<ClusterRow>(
    caller.tenant,
    `select c.cluster_id, c.space, c.representative, c.resolution,
       jsonb_agg(jsonb_build_object('id', d.memory_id, 'similarity', d.similarity) order by d.similarity desc, d.memory_id) as members
     from ${view.table('duplicates')} c
     join ${view.table('duplicates', 'duplicate_members')} d on d.tenant = c.tenant and d.cluster_id = c.cluster_id
     join ${view.table('memories')} m on m.tenant = d.tenant and m.memory_id = d.memory_id and ${shown}
     where ${allOf(conditions)}
     group by c.cluster_id, c.space, c.representative, c.resolution
     having count(*) > 1 order by c.cluster_id limit ${parameters.bind(limit)}`,
    parameters.values,
  );
  return rows.map(({ cluster_id: id, space, representative, members, resolution }) => ({
    id,
    space,
    representative: members.some((member) => member.id === representative) ? representative : members[0]!.id,
    members,
    resolution,
  }));
}

interface ClusterRow extends Record<string, unknown> {
  readonly cluster_id: string;
  readonly space: string;
  readonly representative: string;
  readonly members: ShownCluster['members'];
  readonly resolution: Resolution;
}
