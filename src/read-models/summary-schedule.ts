import type { Layer } from '../domain/layers.ts';
import type { Due, ScheduleState } from '../domain/summaries/schedule.ts';
import type { SummaryScope } from '../domain/summaries/summary-scope.ts';
import { Table, type Row } from './table.ts';

/**
 * What has happened to each scope since its summaries were made, and when new ones are due. `summary` is the last part of the name of
 * their stream, and `cause` the event that the row is from: a generation is recorded once for it. When they are due also depends on the
 * configured window.
 */
export const summarySchedule = new Table('summary_schedule', {
  columns: {
    tenant: 'text',
    summary: 'text',
    layer: 'text',
    scope: 'jsonb',
    changes: 'integer',
    first_change_at: 'timestamptz?',
    position: 'bigint',
    reached_at: 'timestamptz?',
    invalidated_at: 'timestamptz?',
    generated_at: 'timestamptz?',
    due_at: 'timestamptz?',
    trigger: 'text?',
    cause: 'text',
  },
  key: ['tenant', 'summary'],
  indexes: ['(due_at) where due_at is not null', '(tenant, layer)'],
  undigested: ['due_at', 'trigger'],
});

/** The events that change the schedule. */
export const scheduleEvents = [
  'MemoryStored',
  'MemoryUpdated',
  'MemoryDeleted',
  'MemoryRestored',
  'MemoryArchived',
  'MemoryUnarchived',
  'MemoryReviewed',
  'MemoryErased',
  'SummaryGenerated',
  'SummaryInvalidated',
  'SummaryConfigured',
] as const;

/** Identifies a scope in the schedule. */
export type ScheduleKey = Pick<Row<typeof summarySchedule>, 'tenant' | 'summary'>;

export interface ScheduledScope extends SummaryScope, ScheduleKey {}

export interface ScheduleRow extends ScheduledScope {
  readonly state: ScheduleState;
  readonly due: Due | undefined;
  readonly cause: string;
}

/** A row as it is written. */
export function storedRow({ state, due, ...row }: ScheduleRow): Row<typeof summarySchedule> {
  return {
    ...row,
    changes: state.changes,
    first_change_at: state.firstChangeAt,
    position: state.position,
    reached_at: state.reachedAt,
    invalidated_at: state.invalidatedAt,
    generated_at: state.generatedAt,
    due_at: due?.at,
    trigger: due?.trigger,
  };
}

/** A row as the database returns it. */
export function scheduleRow(stored: Readonly<Record<string, unknown>>): ScheduleRow {
  const row = summarySchedule.rowOf(stored);
  return {
    tenant: row.tenant,
    summary: row.summary,
    layer: row.layer as Layer,
    scope: row.scope as SummaryScope['scope'],
    state: {
      changes: row.changes,
      position: row.position,
      firstChangeAt: row.first_change_at,
      reachedAt: row.reached_at,
      invalidatedAt: row.invalidated_at,
      generatedAt: row.generated_at,
    },
    due: row.due_at && row.trigger ? { at: row.due_at, trigger: row.trigger as Due['trigger'] } : undefined,
    cause: row.cause,
  };
}
