import type { TenantContext } from '../domain/access/context.ts';
import { visible, type Placement } from '../domain/access/visibility.ts';
import type { LinkType } from '../domain/links/links.ts';
import type { MemoryView } from '../domain/memory/view.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { loadVisible, snapshotAt } from './get-memory.ts';
import { readLinked } from './linked.ts';
import { memoryOf } from './memory-row.ts';
import type { ReadModels, ReadView } from './read-models.ts';

export interface Related {
  readonly memory: MemoryView;
  readonly type: LinkType;
  /** Direction of the link as seen from `via`. */
  readonly direction: 'outgoing' | 'incoming';
  readonly confidence: number;
  readonly depth: number;
  /** The memory from which this one was reached. */
  readonly via: string;
}

export interface RelatedRequest {
  readonly types?: readonly LinkType[] | undefined;
  readonly depth: number;
  /** If set, links and memories are those of this position. */
  readonly asOf?: number | undefined;
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
}

/** Maximum size of an answer, however many links there are. */
export const maxRelated = 500;

/** Maximum links read for one hop. Several of them may lead to the same memory. */
const maxLinks = maxRelated * 2;

export interface RelatedMemories {
  /** Placement of the memory from which the links were followed. */
  readonly of: Placement;
  readonly items: readonly Related[];
  /** There may be more memories than these. */
  readonly truncated: boolean;
  readonly position: number;
}

/**
 * Follows links in both directions, nearest memories first. Each memory is reached through one neighbour, the one with the most
 * confident link, and has an item for each link from that neighbour. Memories that the caller cannot see are neither shown nor
 * passed through.
 */
export async function findRelated(
  store: EventStore,
  models: ReadModels,
  caller: TenantContext,
  memoryId: string,
  { types, depth, asOf, minPosition = 0, waitMs }: RelatedRequest,
): Promise<RelatedMemories> {
  const { loaded, snapshot: latest } = await loadVisible(store, caller, memoryId);
  const snapshot = asOf === undefined ? latest : snapshotAt(loaded, asOf);
  const demand = {
    projections: ['links', 'memories', 'usage', 'feedback', 'values'],
    minPosition: Math.max(minPosition, asOf ?? 0),
    waitMs,
  };
  return models.read(demand, async (view) => ({
    of: snapshot.state.value,
    ...(await follow(models.sql, view, caller, memoryId, { types, depth, asOf })),
    position: asOf ?? view.position,
  }));
}

async function follow(
  sql: Sql,
  view: ReadView,
  caller: TenantContext,
  memoryId: string,
  { types, depth, asOf }: Pick<RelatedRequest, 'types' | 'depth' | 'asOf'>,
): Promise<Pick<RelatedMemories, 'items' | 'truncated'>> {
  const asked = {
    region: { tenant: caller.tenant, visibility: visible(caller) },
    asker: caller.user,
    types,
    limit: maxLinks + 1,
    at: asOf,
  };
  /** The memory through which each one was reached, and at which depth. */
  const ways = new Map([[memoryId, { via: memoryId, level: 0 }]]);
  const items: Related[] = [];
  let frontier = [memoryId];
  let truncated = false;
  let isFull = false;
  for (let level = 1; level <= depth && frontier.length > 0 && !isFull; level++) {
    const neighbours = await readLinked(sql, view, frontier, asked);
    truncated ||= neighbours.length > maxLinks;
    const next = new Set<string>();
    for (const row of neighbours.slice(0, maxLinks)) {
      const { type, direction, confidence, via } = row;
      const way = ways.get(row.memory_id);
      if (way && (way.level !== level || way.via !== via)) continue;
      // Truncated only if a further memory was found: a full answer may be complete.
      isFull = items.length === maxRelated;
      if (isFull) break;
      ways.set(row.memory_id, { via, level });
      next.add(row.memory_id);
      items.push({ memory: memoryOf(row), type, direction, confidence, depth: level, via });
    }
    frontier = [...next];
  }
  return { items, truncated: truncated || isFull };
}
