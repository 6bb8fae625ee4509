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
  /** Position after which the next page starts; undefined if there are no more events up to `position`. */
  readonly next: number | undefined;
  readonly position: number;
}

/** One page of the tenant's events, in log order. Throws `forbidden` unless the caller is an auditor or admin. */
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
