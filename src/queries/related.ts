import type { TenantContext } from '../domain/access/context.ts';
import { visible, type Placed } from '../domain/access/visibility.ts';
import type { LinkType } from '../domain/links/links.ts';
import type { MemoryView } from '../domain/memory/view.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import { loadVisible } from './get-memory.ts';
import { readLinked } from './linked.ts';
import { memoryOf } from './memory-row.ts';
import type { ReadModels, ReadView } from './read-models.ts';

export interface Related {
  readonly memory: MemoryView;
  readonly type: LinkType;
  /** Seen from `via`: does the link leave it or lead to it? */
  readonly direction: 'outgoing' | 'incoming';
  readonly confidence: number;
  readonly depth: number;
  /** The memory from which this one was reached. */
  readonly via: string;
}

export interface RelatedRequest {
  readonly types?: readonly LinkType[] | undefined;
  readonly depth: number;
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
}

/** However dense the links are, an answer stays an answer. */
export const mostRelated = 500;

/** Follows links both ways, nearest first, each memory once. What the caller cannot see is neither shown nor passed through. */
export async function findRelated(
  store: EventStore,
  models: ReadModels,
  caller: TenantContext,
  memoryId: string,
  { types, depth, minPosition, waitMs }: RelatedRequest,
): Promise<{ of: Placed; items: Related[]; position: number }> {
  const { snapshot } = await loadVisible(store, caller, memoryId);
  const demand = { projections: ['links', 'memories', 'usage'], minPosition, waitMs };
  return models.read(demand, async (view) => ({
    of: snapshot.state.value,
    items: await follow(models.sql, view, caller, memoryId, { types, depth }),
    position: view.position,
  }));
}

async function follow(
  sql: Sql,
  view: ReadView,
  caller: TenantContext,
  memoryId: string,
  { types, depth }: Pick<RelatedRequest, 'types' | 'depth'>,
): Promise<Related[]> {
  const region = { tenant: caller.tenant, visibility: visible(caller) };
  const seen = new Set([memoryId]);
  const items: Related[] = [];
  let frontier = [memoryId];
  for (let level = 1; level <= depth && frontier.length > 0 && items.length < mostRelated; level++) {
    const neighbours = await readLinked(sql, view, frontier, { region, types, limit: mostRelated * 2 });
    frontier = [];
    for (const row of neighbours) {
      if (seen.has(row.memory_id) || items.length >= mostRelated) continue;
      seen.add(row.memory_id);
      frontier.push(row.memory_id);
      const { type, direction, confidence, via } = row;
      items.push({ memory: memoryOf(row), type, direction, confidence, depth: level, via });
    }
  }
  return items;
}
