/**
 * When the summaries of each scope are due. `cause` is the event that made them due: a generation is recorded once for it. Until
 * `claimed_until`, one process makes the summaries, or all wait after a failure. Derived from the log, like the checkpoint of the
 * reactor that writes it.
 */
export const summaryScheduleSchema: readonly string[] = [
  `
create table control.summary_schedule (
  log_id text not null,
  tenant text not null,
  summary text not null,
  layer text not null,
  scope jsonb not null,
  changes integer not null,
  first_change_at timestamptz,
  position bigint not null,
  reached_at timestamptz,
  invalidated_at timestamptz,
  generated_at timestamptz,
  due_at timestamptz,
  trigger text,
  cause text not null,
  claimed_until timestamptz,
  primary key (log_id, tenant, summary)
);
create index on control.summary_schedule (log_id, due_at) where due_at is not null;
create index on control.summary_schedule (log_id, tenant, layer);
`,
];
