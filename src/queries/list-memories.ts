import type { TenantContext } from '../domain/access/context.ts';
import type { Region } from '../domain/access/region.ts';
import { visible } from '../domain/access/visibility.ts';
import { allOf as conjunction, test } from '../domain/build-filter.ts';
import { testsField, type Filter } from '../domain/filter.ts';
import type { Layer, Scope } from '../domain/layers.ts';
import type { memoryStates, MemoryView } from '../domain/memory/view.ts';
import { isMemoryId } from '../domain/streams.ts';
import type { Sql } from '../ports/sql.ts';
import { fingerprintOf, invalidCursor, readCursor, writeCursor } from './cursors.ts';
import { filterCondition, type FilteredRow } from './filter-sql.ts';
import { joinUsage, memoryColumns, memoryOf, type MemoryRow } from './memory-row.ts';
import { countsOf, filedUnderAll, listsIn } from './postings-sql.ts';
import type { ReadModels, ReadView } from './read-models.ts';
import { regionCondition } from './scope-sql.ts';
import { allOf, Parameters } from './sql-builder.ts';

/** Counting an index entry takes .5 µs in WebAssembly, so a count that does not shorten a list costs at most 2.5 ms. */
const fewLimit = 5_000;

/** Whether a page begins with the newest or the oldest memories. Ids ascend with time. */
export const listOrders = ['newest', 'oldest'] as const;

/** The withheld memories that a caller may read: all, those of some spaces, and its own. */
export interface WithheldInList {
  readonly spaces: 'all' | readonly string[];
  readonly writer: string;
}

export interface ListMemories {
  readonly layers?: readonly Layer[] | undefined;
  /** Identifiers that the memories must have. Set it only without a cursor. */
  readonly scope?: Scope | undefined;
  readonly spaces?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly externalId?: string | undefined;
  readonly state?: (typeof memoryStates)[number] | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  readonly filter?: Filter | undefined;
  /** Also list memories that are withheld from answers, as far as the caller may read them. */
  readonly withheld?: WithheldInList | undefined;
  /** If set, the list shows the state at this position. */
  readonly asOf?: number | undefined;
  readonly order?: (typeof listOrders)[number] | undefined;
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

/** Memories that the caller may see, by default newest first. The cursor names the last memory of a page, so inserts do not shift pages. */
export function listMemories(
  models: ReadModels,
  caller: TenantContext,
  list: ListMemories,
): Promise<MemoryPage> {
  const { asOf = 0, minPosition = 0, waitMs, filter } = list;
  const countsCitations = filter !== undefined && testsField(filter, 'citations');
  const demand = {
    projections: ['memories', 'usage', 'feedback', 'values', ...(countsCitations ? ['links'] : [])],
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
  const { asOf, order, limit, cursor } = list;
  const [beyond, direction] = order === 'oldest' ? ['>', 'asc'] : ['<', 'desc'];
  const fingerprint = fingerprintOf(fingerprintFields(list));
  const parameters = new Parameters();
  const region = {
    tenant: caller.tenant,
    visibility: visible(caller),
    ...(list.layers && { layers: list.layers }),
    ...(list.scope && { scope: list.scope }),
  };
  const conditions = [
    ...(await postingConditions(sql, view, region, list, parameters)),
    regionCondition(region, 'm', parameters),
    ...rowConditions(
      list,
      { view, alias: 'm', asker: caller.user, visibility: region.visibility },
      parameters,
    ),
  ];
  if (cursor !== undefined) {
    conditions.push(`m.memory_id ${beyond} ${parameters.bind(lastSeen(cursor, fingerprint))}::uuid`);
  }
  const rows = await sql.queryAs<MemoryRow>(
    caller.tenant,
    `select ${memoryColumns(view, caller.user, parameters, asOf)} from ${view.table('memories')} m ${joinUsage(view.table('usage'))}
     where ${allOf(conditions)} order by m.memory_id ${direction} limit ${parameters.bind(limit + 1)}`,
    parameters.values,
  );
  const items = rows.slice(0, limit).map(memoryOf);
  const nextCursor = rows.length > limit ? writeCursor(items.at(-1)!.id, fingerprint) : undefined;
  return { items, nextCursor, position: asOf ?? view.position };
}

/** Conditions that look memories up by posting keys if these match few, because a scan from the newest could take long to fill a page. */
async function postingConditions(
  sql: Sql,
  view: ReadView,
  region: Region,
  {
    asOf,
    state = 'active',
    externalId,
    spaces,
    tags,
    createdAfter,
    createdBefore,
    filter,
    withheld,
  }: ListMemories,
  parameters: Parameters,
): Promise<string[]> {
  // Postings only cover memories that are active now. An external id already identifies a single memory.
  if (withheld || asOf !== undefined || state !== 'active' || externalId !== undefined) return [];
  const filters = [
    ...(filter ? [filter] : []),
    ...(createdAfter === undefined ? [] : [test('createdAt', 'gt', createdAfter)]),
    ...(createdBefore === undefined ? [] : [test('createdAt', 'lt', createdBefore)]),
  ];
  const lists = listsIn(view, {
    region,
    spaces,
    tags,
    ...(filters.length > 0 && { filter: conjunction(filters) }),
  });
  if (lists.length === 0) return [];
  const { tenant } = region;
  const counting = new Parameters();
  const [row] = await sql.queryAs<{ counts: number[] }>(
    tenant,
    `select ${countsOf(lists, fewLimit, view, tenant, counting)} as counts`,
    counting.values,
  );
  const short = lists.filter((_, index) => row!.counts[index]! <= fewLimit);
  if (short.length === 0) return [];
  return [`m.memory_id = any (array(${filedUnderAll(short, view, tenant, parameters)}))`];
}

function rowConditions(list: ListMemories, row: FilteredRow, parameters: Parameters): string[] {
  const { asOf, spaces, tags, externalId, state = 'active', createdAfter, createdBefore, filter } = list;
  const { withheld } = list;
  const conditions = [stateCondition(state, withheld, parameters)];
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
  if (filter) conditions.push(filterCondition(filter, row, parameters));
  return conditions;
}

function stateCondition(state: string, withheld: WithheldInList | undefined, parameters: Parameters): string {
  const own = `m.state = ${parameters.bind(state)}`;
  if (!withheld || state !== 'active') return own;
  const { spaces, writer } = withheld;
  const readable =
    spaces === 'all'
      ? []
      : [
          `and (m.spaces && ${parameters.bind([...spaces])}::text[] or m.value->>'createdBy' = ${parameters.bind(writer)})`,
        ];
  return `(${own} or (m.state = 'withheld' and m.retention_until is null ${readable.join('')}))`;
}

/** The parts of a request that determine the entries of the list, for the fingerprint of its cursor. */
function fingerprintFields({
  order,
  limit: _,
  cursor: __,
  minPosition: ___,
  waitMs: ____,
  ...decisive
}: ListMemories): object {
  return { ...decisive, ...(order === 'oldest' && { order }) };
}

function lastSeen(cursor: string, fingerprint: string): string {
  const lastId = readCursor(cursor, fingerprint);
  if (!isMemoryId(lastId)) throw invalidCursor();
  return lastId;
}
