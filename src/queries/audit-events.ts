import { versionOf } from '../read-models/generation-variant.ts';
import { scopeKeys, type Layer, type Scope } from '../domain/layers.ts';
import { column } from './scope-sql.ts';
import { hasRole, type TenantContext } from '../domain/access/context.ts';
import { Problem } from '../domain/problems.ts';
import type { RecordedEvent, StreamName } from '../ports/event-log.ts';
import type { EventStore, LoadedEvent } from '../ports/event-store.ts';
import type { Sql } from '../ports/sql.ts';
import type { ReadModels, ReadView } from './read-models.ts';
import { allOf, Parameters } from './sql-builder.ts';

export interface AuditFilter {
  readonly stream?: string | undefined;
  readonly memory?: string | undefined;
  readonly actor?: string | undefined;
  readonly type?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Only events that name one of these layers, or a memory that is in one. */
  readonly layer?: readonly Layer[] | undefined;
  /** Only events that name all these identifiers, or a memory with them in its scope. */
  readonly scope?: Scope | undefined;
  /** Only events that name one of these spaces, or a memory that is or was in one. */
  readonly space?: readonly string[] | undefined;
  readonly outcome?: readonly string[] | undefined;
}

export interface AuditRequest extends AuditFilter {
  /** Exclusive position. */
  readonly after: number;
  /** Exclusive position: in the order `newest`, a page continues before it. */
  readonly before?: number | undefined;
  /** Order in the log. Default: `oldest` first. */
  readonly order?: 'oldest' | 'newest' | undefined;
  readonly limit: number;
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
}

export interface AuditPage {
  readonly events: readonly LoadedEvent[];
  /** Position after which the next page starts, or before which with the order `newest`; undefined if there are no more events up to `position`. */
  readonly next: number | undefined;
  readonly position: number;
}

/** One page of the tenant's events, in log order or newest first. Throws `forbidden` unless the caller is an auditor or admin. */
export async function readAuditEvents(
  store: EventStore,
  models: ReadModels,
  caller: TenantContext,
  request: AuditRequest,
): Promise<AuditPage> {
  assertAuditor(caller);
  const { minPosition, waitMs } = request;
  const { rows, position } = await models.read(
    { projections: ['audit'], minPosition, waitMs },
    async (view) => ({
      rows: await readRows(models.sql, view, caller.tenant, request),
      position: view.position,
    }),
  );
  const page = rows.slice(0, request.limit);
  return {
    events: await eventsOf(store, page),
    next: rows.length > request.limit ? page.at(-1)!.position : undefined,
    position,
  };
}

interface AuditRow extends Record<string, unknown> {
  stream: StreamName;
  revision: number;
  position: number;
}

/** Rows are close together in the log if it has less than this many positions for each. */
const maxSpread = 2;

/** The events of rows, in the same order. Where rows are close together, one read of the log takes a fraction of the time of many. */
async function eventsOf(store: EventStore, rows: readonly AuditRow[]): Promise<LoadedEvent[]> {
  const positions = rows.map(({ position }) => position);
  const [first, last] = [Math.min(...positions), Math.max(...positions)];
  if (rows.length < 2 || last - first >= maxSpread * rows.length) {
    const events = await Promise.all(rows.map(({ stream, revision }) => store.loadOne(stream, revision)));
    return events.filter((event) => event !== undefined);
  }
  const recorded = new Map<number, RecordedEvent>();
  for (let after = first - 1; after < last;) {
    const page = await store.log.readAll({ after, limit: last - after });
    for (const event of page.events) recorded.set(event.position, event);
    after = page.scannedTo;
  }
  const chosen = positions.map((position) => recorded.get(position));
  const { events, unreadable } = await store.open(chosen.filter((event) => event !== undefined));
  if (unreadable[0]) throw unreadable[0].error;
  return [...events];
}

function readRows(sql: Sql, view: ReadView, tenant: string, request: AuditRequest): Promise<AuditRow[]> {
  const parameters = new Parameters();
  const conditions = auditConditions(tenant, request, view, parameters);
  return sql.queryAs<AuditRow>(
    tenant,
    `select stream, revision, position from ${view.table('audit')} where ${allOf(conditions)}
     order by position ${request.order === 'newest' ? 'desc' : 'asc'} limit ${parameters.bind(request.limit + 1)}`,
    parameters.values,
  );
}

/**
 * All matching events, in pages of `limit`. `assertAllowed` throws if the caller has lost access, so that the response breaks
 * off instead of ending as if it were complete.
 */
export async function* allAuditEvents(
  store: EventStore,
  models: ReadModels,
  caller: TenantContext,
  request: AuditRequest,
  assertAllowed: () => Promise<void>,
): AsyncGenerator<readonly LoadedEvent[]> {
  for (let after: number | undefined = request.after; after !== undefined;) {
    const page = await readAuditEvents(store, models, caller, { ...request, after });
    await assertAllowed();
    yield page.events;
    after = page.next;
  }
}

/**
 * All matching events, then new ones as the log grows, until `signal` aborts or `isAllowed` returns false. Yields at least
 * every `waitMs`, an empty page if there are no new events.
 */
export async function* followAuditEvents(
  store: EventStore,
  models: ReadModels,
  caller: TenantContext,
  request: AuditRequest,
  signal: AbortSignal,
  isAllowed: () => Promise<boolean>,
): AsyncGenerator<readonly LoadedEvent[]> {
  let after = request.after;
  while (!signal.aborted) {
    const page = await readAuditEvents(store, models, caller, { ...request, after });
    if (!(await isAllowed())) return;
    // Skip what was searched already, even if it had no matching events.
    after = page.next ?? Math.max(after, page.position);
    yield page.events;
    if (page.events.length === 0) await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

export function assertAuditor(caller: TenantContext): void {
  if (!hasRole(caller, 'auditor', 'admin'))
    throw new Problem('forbidden', 'the audit needs the role auditor or admin');
}

function auditConditions(
  tenant: string,
  filter: AuditRequest,
  view: ReadView,
  parameters: Parameters,
): string[] {
  const own = `tenant = ${parameters.bind(tenant)}`;
  const conditions = [own, `position > ${parameters.bind(filter.after)}`];
  // Beyond this position one partition may be ahead of others. A reader that continued after its events would miss theirs.
  conditions.push(`position <= ${parameters.bind(view.position)}`);
  if (filter.before !== undefined) conditions.push(`position < ${parameters.bind(filter.before)}`);
  if (filter.stream !== undefined) conditions.push(`stream = ${parameters.bind(filter.stream)}`);
  if (filter.memory !== undefined) {
    const named = `select position from ${view.table('audit', 'audit_memories')}`;
    conditions.push(`position in (${named} where ${own} and memory_id = ${parameters.bind(filter.memory)})`);
  }
  if (filter.actor !== undefined) conditions.push(`actor = ${parameters.bind(filter.actor)}`);
  if (filter.type) conditions.push(`type = any (${parameters.bind([...filter.type])}::text[])`);
  if (filter.outcome) {
    assertPlacesKnown(view);
    conditions.push(`outcome = any (${parameters.bind([...filter.outcome])}::text[])`);
  }
  const place = placeConditions(filter, parameters);
  if (place.length > 0) {
    assertPlacesKnown(view);
    const inPlace = allOf([own, ...place]);
    const places = view.table('audit', 'audit_places');
    // Two conditions and no union: the database then hashes the positions of each without sorting them.
    conditions.push(`(position in (select position from ${places} where ${inPlace})
      or position in (select n.position from ${view.table('audit', 'audit_memories')} n
        where n.${own} and n.memory_id in (select memory_id from ${places} where ${inPlace})))`);
  }
  if (filter.from !== undefined) conditions.push(`time >= ${parameters.bind(new Date(filter.from))}`);
  if (filter.to !== undefined) conditions.push(`time < ${parameters.bind(new Date(filter.to))}`);
  return conditions;
}

function placeConditions({ layer, scope = {}, space }: AuditFilter, parameters: Parameters): string[] {
  const anyOfThese = (name: string, values: readonly string[]) =>
    `${name} && ${parameters.bind([...values])}::text[]`;
  return [
    ...(layer ? [anyOfThese('layers', layer)] : []),
    ...(space ? [anyOfThese('spaces', space)] : []),
    ...scopeKeys.flatMap((key) =>
      scope[key] === undefined ? [] : [`${column(key)} = ${parameters.bind(scope[key])}`],
    ),
  ];
}

/** The first version of the read model that knows the places and outcomes of events. */
const placesSince = 3;

/** Throws `unavailable` while the read model of an earlier version is being rebuilt. */
function assertPlacesKnown(view: ReadView): void {
  if (versionOf(view.signature('audit')) >= placesSince) return;
  throw new Problem('unavailable', 'the audit is still being prepared for these filters', { retryAfter: 5 });
}
