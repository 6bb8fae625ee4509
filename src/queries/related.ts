import type { TenantContext } from '../domain/access/context.ts';
import { visible } from '../domain/access/visibility.ts';
import type { LinkType } from '../domain/links/links.ts';
import type { MemoryView } from '../domain/memory/view.ts';
import type { EventStore } from '../ports/event-store.ts';
import { loadVisible } from './get-memory.ts';
import { joinUsage, memoryColumns, memoryOf, type MemoryRow } from './memory-row.ts';
import type { ReadModels } from './read-models.ts';
import { regionCondition } from './scope-sql.ts';
import { Parameters } from './sql-builder.ts';

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

interface Neighbour extends MemoryRow {
  type: LinkType;
  direction: 'outgoing' | 'incoming';
  confidence: number;
  via: string;
}

/** However dense the links are, an answer stays an answer. */
const maxItems = 500;

/** Follows links both ways, nearest first, each memory once. What the caller cannot see is neither shown nor passed through. */
export async function findRelated(
  store: EventStore,
  models: ReadModels,
  caller: TenantContext,
  memoryId: string,
  { types, depth, minPosition, waitMs }: RelatedRequest,
): Promise<{ items: Related[]; position: number }> {
  await loadVisible(store, caller, memoryId);
  const view = await models.view({ projections: ['links', 'memories', 'usage'], minPosition, waitMs });
  const seen = new Set([memoryId]);
  const items: Related[] = [];
  let frontier = [memoryId];
  for (let level = 1; level <= depth && frontier.length > 0 && items.length < maxItems; level++) {
    const neighbours = await neighboursOf(frontier);
    frontier = [];
    for (const row of neighbours) {
      if (seen.has(row.memory_id) || items.length >= maxItems) continue;
      seen.add(row.memory_id);
      frontier.push(row.memory_id);
      const { type, direction, confidence, via } = row;
      items.push({ memory: memoryOf(row), type, direction, confidence, depth: level, via });
    }
  }
  return { items, position: view.position };

  async function neighboursOf(ids: readonly string[]): Promise<Neighbour[]> {
    const parameters = new Parameters();
    const from = parameters.bind(ids);
    const tenant = parameters.bind(caller.tenant);
    const ofType = types ? `and l.type = any (${parameters.bind([...types])}::text[])` : '';
    const region = regionCondition({ tenant: caller.tenant, visibility: visible(caller) }, 'm', parameters);
    const links = view.table('links');
    return models.sql.queryAs<Neighbour>(
      caller.tenant,
      `select ${memoryColumns}, n.type, n.direction, n.confidence, n.via from (
         select l.target as id, l.type, 'outgoing' as direction, l.confidence, l.source as via
         from ${links} l where l.tenant = ${tenant} and l.source = any (${from}::uuid[]) ${ofType}
         union all
         select l.source, l.type, 'incoming', l.confidence, l.target
         from ${links} l where l.tenant = ${tenant} and l.target = any (${from}::uuid[]) ${ofType}
       ) n join ${view.table('memories')} m on m.tenant = ${tenant} and m.memory_id = n.id and m.to_position is null
       ${joinUsage(view.table('usage'))}
       where m.state = 'active' and ${region}
       order by n.confidence desc, m.memory_id, n.type limit ${maxItems * 2}`,
      parameters.values,
    );
  }
}
