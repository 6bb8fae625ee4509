import { hasRole, type TenantContext } from '../domain/access/context.ts';
import { Problem } from '../domain/problems.ts';
import type { StreamName } from '../ports/event-log.ts';
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
}

export interface AuditRequest extends AuditFilter {
  /** Exclusive position. */
  readonly after: number;
  readonly limit: number;
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
}

export interface AuditPage {
  readonly events: readonly LoadedEvent[];
  /** Position to go on after; undefined where everything up to `position` was looked through. */
  readonly next: number | undefined;
  readonly position: number;
}

/** The tenant's events in the order of the log. Needs a role that audits: others get `forbidden`. */
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
  const events = await Promise.all(page.map(({ stream, revision }) => store.loadOne(stream, revision)));
  return {
    events: events.filter((event) => event !== undefined),
    next: rows.length > request.limit ? page.at(-1)!.position : undefined,
    position,
  };
}

interface AuditRow extends Record<string, unknown> {
  stream: StreamName;
  revision: number;
  position: number;
}

function readRows(sql: Sql, view: ReadView, tenant: string, request: AuditRequest): Promise<AuditRow[]> {
  const parameters = new Parameters();
  const conditions = auditConditions(tenant, request, view, parameters);
  return sql.queryAs<AuditRow>(
    tenant,
    `select stream, revision, position from ${view.table('audit')} where ${allOf(conditions)}
     order by position limit ${parameters.bind(request.limit + 1)}`,
    parameters.values,
  );
}

/**
 * The same, all of them, page by page, `limit` at once. `assertAllowed` throws where the caller no longer may: followed,
 * a stream just ends, and nobody takes it for whole; this one has an end of its own, so it breaks off.
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
 * The same, going on as the log grows, until `signal` aborts or the caller is no longer `isAllowed`. Yields at least
 * every `waitMs`, an empty page where nothing came.
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
    // Where rare events are asked for, what was looked through in vain is not looked through again.
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
  // Beyond it a partition may be ahead of others: whoever went on after its events would pass over theirs.
  conditions.push(`position <= ${parameters.bind(view.position)}`);
  if (filter.stream !== undefined) conditions.push(`stream = ${parameters.bind(filter.stream)}`);
  if (filter.memory !== undefined) {
    const named = `select position from ${view.table('audit', 'audit_memories')}`;
    conditions.push(`position in (${named} where ${own} and memory_id = ${parameters.bind(filter.memory)})`);
  }
  if (filter.actor !== undefined) conditions.push(`actor = ${parameters.bind(filter.actor)}`);
  if (filter.type) conditions.push(`type = any (${parameters.bind([...filter.type])}::text[])`);
  if (filter.from !== undefined) conditions.push(`time >= ${parameters.bind(new Date(filter.from))}`);
  if (filter.to !== undefined) conditions.push(`time < ${parameters.bind(new Date(filter.to))}`);
  return conditions;
}
