import { importanceOf, noUse, type MemoryUse } from '../domain/learning/memory-value.ts';
import { neverAffirmed, type Affirmations } from '../domain/memory/affirmation.ts';
import type { LiveState, MemoryValue } from '../domain/memory/memory.ts';
import { noFeedback, viewOf, type Counters, type MemoryView } from '../domain/memory/view.ts';
import type { ReadView } from './read-models.ts';
import type { Parameters } from './sql-builder.ts';
import { useSql, type Asker } from './use-sql.ts';

/**
 * The columns that make a memory as callers see it, from the memories table `m` and the usage table `u`; with `at`, its
 * affirmations are those up to that position. The view needs `feedback` and `values`.
 */
export function memoryColumns(
  view: Pick<ReadView, 'table' | 'signature'>,
  asker: Asker,
  parameters: Parameters,
  at?: number,
): string {
  const keys = { tenant: 'm.tenant', memoryId: 'm.memory_id' };
  return `m.tenant, m.memory_id, m.revision, m.from_position, m.from_time, m.created_at, m.state,
    m.retention_until, m.value, u.accesses, u.last_accessed_at,
    case when u.feedbacks > 0 then ${feedbackCounts(view.table('feedback'), 'm.tenant', 'm.memory_id')} end as feedback,
    ${useSql(view, asker, keys, parameters)} as use,
    ${affirmedSql(view, keys, parameters, at)} as affirmed`;
}

/** SQL for the `Affirmations` of a memory as JSON; null if it was not told again, or not up to the position `at`. */
export function affirmedSql(
  view: Pick<ReadView, 'table' | 'signature'>,
  { tenant, memoryId }: { readonly tenant: string; readonly memoryId: string },
  parameters: Parameters,
  at?: number,
): string {
  if (!hasAffirmations(view)) return 'null::jsonb';
  const until = at === undefined ? '' : `and a.position <= ${parameters.bind(at)}`;
  return `(select jsonb_build_object('affirmations', a.affirmations, 'affirmedAt', a.affirmed_at)
    from ${view.table('usage', 'usage_affirmations')} a
    where a.tenant = ${tenant} and a.memory_id = ${memoryId} ${until} order by a.position desc limit 1)`;
}

/** SQL for how many callers gave each kind of feedback, as JSON: the latest of each caller counts, unless it withdraws (`counts`). */
export function feedbackCounts(table: string, tenant: string, memoryId: string): string {
  return `(select jsonb_object_agg(c.kind, c.callers) from (
    select latest.kind, count(*) as callers from (
      select distinct on (f.kind, f.principal) f.kind, f.score from ${table} f
      where f.tenant = ${tenant} and f.memory_id = ${memoryId} and f.kind <> 'question'
      order by f.kind, f.principal, f.position desc) latest
    where case when latest.kind = 'helpful' then latest.score > 0 else latest.score < 0 end
    group by latest.kind) c)`;
}

/** Whether the live generation counts affirmations: one of an earlier version is in use until it is rebuilt. */
export function hasAffirmations(view: Pick<ReadView, 'signature'>): boolean {
  return Number.parseInt(view.signature('usage'), 10) >= 3;
}

export interface MemoryRow extends Record<string, unknown> {
  tenant: string;
  memory_id: string;
  revision: number;
  from_position: number;
  from_time: Date;
  created_at: Date;
  state: LiveState['status'] | 'withheld';
  retention_until: Date | null;
  value: Omit<MemoryValue, 'id'>;
  accesses: number | null;
  last_accessed_at: Date | null;
  feedback: Partial<Counters['feedback']> | null;
  use: MemoryUse | null;
  affirmed: Affirmations | null;
}

export type CountersRow = Pick<MemoryRow, 'accesses' | 'last_accessed_at' | 'feedback' | 'use' | 'affirmed'>;

export function joinUsage(usageTable: string): string {
  return `left join ${usageTable} u on u.tenant = m.tenant and u.memory_id = m.memory_id`;
}

export function memoryOf(row: MemoryRow): MemoryView {
  const value: MemoryValue = { id: row.memory_id, ...row.value };
  const state: LiveState = row.retention_until
    ? { status: 'deleted', value, retentionUntil: row.retention_until.toISOString() }
    : { status: row.state === 'archived' ? 'archived' : 'active', value };
  const snapshot = {
    state,
    revision: row.revision,
    position: row.from_position,
    createdAt: row.created_at,
    updatedAt: row.from_time,
  };
  return viewOf(row.tenant, snapshot, countersOf(row));
}

export function countersOf(row: CountersRow): Counters {
  return {
    importance: importanceOf(row.use ?? noUse),
    feedback: { ...noFeedback, ...row.feedback },
    accessCount: row.accesses ?? 0,
    ...(row.last_accessed_at && { lastAccessedAt: row.last_accessed_at.toISOString() }),
    ...(row.affirmed ?? neverAffirmed),
  };
}
