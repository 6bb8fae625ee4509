import { invalid, Problem } from '../problems.ts';
import type { DuplicateEvent, Resolution } from './events.ts';

/** Memories of one space, layer and scope that say the same. */
export interface Cluster {
  readonly id: string;
  readonly space: string;
  /** The memory that the others are compared with: the oldest, until somebody chooses another one. */
  readonly representative: string;
  /** Similarity of each member to the first representative, by id; the representative is among them. */
  readonly members: ReadonlyMap<string, number>;
  readonly resolution: Resolution;
  /** What the resolution has deleted. */
  readonly deleted: readonly string[];
}

/** The cluster after its events; undefined if there are none. */
export function foldCluster(events: readonly DuplicateEvent[]): Cluster | undefined {
  return events.reduce<Cluster | undefined>(evolve, undefined);
}

function evolve(cluster: Cluster | undefined, event: DuplicateEvent): Cluster | undefined {
  if (event.type === 'DuplicateFound') {
    const { clusterId: id, space, representative, memoryId, similarity } = event.data;
    const before: Cluster = cluster ?? {
      id,
      space,
      representative,
      members: new Map([[representative, 1]]),
      resolution: 'manual',
      deleted: [],
    };
    return { ...before, members: new Map([...before.members, [memoryId, similarity]]) };
  }
  if (!cluster) return undefined;
  switch (event.type) {
    case 'DuplicateWithdrawn': {
      const members = new Map(cluster.members);
      members.delete(event.data.memoryId);
      return { ...cluster, members };
    }
    case 'DuplicatesResolved': {
      const { resolution, representative, memories } = event.data;
      const deleted = resolution === 'keep_representative' ? memories : [];
      return { ...cluster, resolution, representative, deleted };
    }
    default:
      return event satisfies never;
  }
}

/** The event that adds a memory; none if the cluster has it, or somebody has decided about the cluster meanwhile. */
export function decideFound(
  cluster: Cluster | undefined,
  found: Extract<DuplicateEvent, { type: 'DuplicateFound' }>['data'],
): DuplicateEvent[] {
  if (cluster && (cluster.resolution !== 'manual' || cluster.members.has(found.memoryId))) return [];
  return [{ type: 'DuplicateFound', data: found }];
}

/** The event that takes a memory out; none if it is no member. What a resolution has deleted stays as it is. */
export function decideWithdrawal(cluster: Cluster | undefined, memoryId: string): DuplicateEvent[] {
  if (!cluster?.members.has(memoryId) || cluster.resolution === 'keep_representative') return [];
  return [{ type: 'DuplicateWithdrawn', data: { clusterId: cluster.id, memoryId } }];
}

export interface ResolutionCommand {
  readonly resolution: Resolution;
  readonly representative?: string | undefined;
}

/**
 * The event of a decision; none if it was taken before. `active` are the members that are not deleted. Throws a `Problem` if another
 * decision stands, or there are not two memories to decide about.
 */
export function decideResolution(
  cluster: Cluster,
  { resolution, representative }: ResolutionCommand,
  active: readonly string[],
): DuplicateEvent[] {
  if (representative !== undefined && resolution !== 'keep_representative')
    throw invalid('representative', 'is only for the resolution keep_representative');
  const chosen =
    representative ?? (active.includes(cluster.representative) ? cluster.representative : active[0]);
  if (resolution === cluster.resolution) {
    if (representative === undefined || representative === cluster.representative) return [];
    throw isResolved(cluster);
  }
  const resolved = (memories: readonly string[], kept = cluster.representative): DuplicateEvent[] => [
    {
      type: 'DuplicatesResolved',
      data: { clusterId: cluster.id, resolution, representative: kept, memories: [...memories] },
    },
  ];
  if (resolution === 'manual') return resolved(cluster.deleted);
  if (cluster.resolution !== 'manual') throw isResolved(cluster);
  if (resolution === 'keep_all') return resolved([]);
  if (chosen === undefined || !active.includes(chosen))
    throw invalid('representative', 'must be the id of a member of the cluster that is not deleted');
  return resolved(
    active.filter((id) => id !== chosen),
    chosen,
  );
}

function isResolved({ resolution }: Cluster): Problem {
  return new Problem(
    'duplicates-resolved',
    `the cluster was resolved by ${resolution}: resolve it to manual first`,
  );
}
