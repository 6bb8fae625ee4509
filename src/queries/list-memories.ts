import type { TenantContext } from '../domain/access/context.ts';
import { visible } from '../domain/access/visibility.ts';
import type { Filter } from '../domain/filter.ts';
import type { Layer } from '../domain/layers.ts';
import type { memoryStates, MemoryView } from '../domain/memory/view.ts';
import { isMemoryId } from '../domain/streams.ts';
import type { Sql } from '../ports/sql.ts';
import { fingerprintOf, readCursor, strangeCursor, writeCursor } from './cursors.ts';
import { filterCondition } from './filter-sql.ts';
import { joinUsage, memoryColumns, memoryOf, type MemoryRow } from './memory-row.ts';
import type { ReadModels, ReadView } from './read-models.ts';
import { regionCondition } from './scope-sql.ts';
import { allOf, Parameters } from './sql-builder.ts';

export interface ListMemories {
  readonly layers?: readonly Layer[] | undefined;
  readonly spaces?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly externalId?: string | undefined;
  readonly state?: (typeof memoryStates)[number] | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  readonly filter?: Filter | undefined;
  /** A position: the list as it stood when the log had reached it. */
  readonly asOf?: number | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
}

export interface MemoryPage {
  readonly items: MemoryView[];
  readonly nextCursor: string | undefined;
  readonly position: number;
}

/** What the caller may see, newest first. Stable under inserts: the cursor is the last memory seen. */
export function listMemories(
  models: ReadModels,
  caller: TenantContext,
  list: ListMemories,
): Promise<MemoryPage> {
  const { asOf = 0, minPosition = 0, waitMs } = list;
  const demand = {
    projections: ['memories', 'usage'],
    minPosition: Math.max(minPosition, asOf),
    waitMs,
  };
  return models.read(demand, (view) => readPage(models.sql, view, caller, list));
}

async function readPage(
  sql: Sql,
  view: ReadView,
  caller: TenantContext,
  list: ListMemories,
): Promise<MemoryPage> {
  const { asOf, limit, cursor } = list;
  const fingerprint = fingerprintOf(decisiveOf(list));
  const parameters = new Parameters();
  const region = {
    tenant: caller.tenant,
    visibility: visible(caller),
    ...(list.layers && { layers: list.layers }),
  };
  const conditions = [regionCondition(region, 'm', parameters), ...rowConditions(list, view, parameters)];
  if (cursor !== undefined) {
    conditions.push(`m.memory_id < ${parameters.bind(lastSeen(cursor, fingerprint))}::uuid`);
  }
  const rows = await sql.queryAs<MemoryRow>(
    caller.tenant,
    `select ${memoryColumns} from ${view.table('memories')} m ${joinUsage(view.table('usage'))}
     where ${allOf(conditions)} order by m.memory_id desc limit ${parameters.bind(limit + 1)}`,
    parameters.values,
  );
  const items = rows.slice(0, limit).map(memoryOf);
  const nextCursor = rows.length > limit ? writeCursor(items.at(-1)!.id, fingerprint) : undefined;
  return { items, nextCursor, position: asOf ?? view.position };
}

function rowConditions(list: ListMemories, view: ReadView, parameters: Parameters): string[] {
  const { asOf, spaces, tags, externalId, state = 'active', createdAfter, createdBefore, filter } = list;
  const conditions = [`m.state = ${parameters.bind(state)}`];
  if (asOf === undefined) conditions.push('m.to_position is null');
  else {
    const at = parameters.bind(asOf);
    conditions.push(`m.from_position <= ${at} and (m.to_position is null or m.to_position > ${at})`);
  }
  if (spaces) conditions.push(`m.spaces && ${parameters.bind([...spaces])}::text[]`);
  if (tags) conditions.push(`m.tags && ${parameters.bind([...tags])}::text[]`);
  if (externalId !== undefined) conditions.push(`m.external_id = ${parameters.bind(externalId)}`);
  if (createdAfter !== undefined)
    conditions.push(`m.created_at > ${parameters.bind(new Date(createdAfter))}`);
  if (createdBefore !== undefined)
    conditions.push(`m.created_at < ${parameters.bind(new Date(createdBefore))}`);
  if (filter) conditions.push(filterCondition(filter, view, 'm', parameters));
  return conditions;
}

/** What its cursor is bound to. */
function decisiveOf({
  limit: _,
  cursor: __,
  minPosition: ___,
  waitMs: ____,
  ...decisive
}: ListMemories): object {
  return decisive;
}

function lastSeen(cursor: string, fingerprint: string): string {
  const lastId = readCursor(cursor, fingerprint);
  if (!isMemoryId(lastId)) throw strangeCursor();
  return lastId;
}
