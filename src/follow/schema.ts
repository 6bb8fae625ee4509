/**
 * The checkpoints and parked streams of everything that follows the log. Generation 0 belongs to a reactor; its partition is named after
 * the log, so it begins anew in another log. They belong in the same backup as the vault: after a restore, the reactors handle again what
 * they had done since, such as destroying keys. `asked` is what an operator wants done with a stream of a reactor.
 */
export const followTables = `
create schema follow;
grant usage on schema follow to stratalog_query;
create table follow.checkpoints (
  name text not null,
  generation integer not null,
  partition text not null,
  position bigint not null default 0,
  primary key (name, generation, partition)
);
create table follow.parked (
  name text not null,
  generation integer not null,
  stream text not null,
  partition text not null,
  position bigint not null,
  revision integer not null,
  type text not null,
  error text not null,
  parked_at timestamptz not null default now(),
  asked text,
  primary key (name, generation, stream)
);
grant select on follow.checkpoints to stratalog_query;
`;

/** Reactors that had the name of a read model, and the names that they have now. */
const renamed = `(values ('lessons', 'lesson-updates'), ('summaries', 'summary-requests'),
  ('traces', 'trace-erasures'), ('values', 'value-decisions')) as renamed(before, name)`;

/** What earlier versions kept of reactors, and how it is taken over. */
export const reactorSchema: readonly string[] = [
  `
create table control.processor_checkpoints (
  processor text not null,
  log_id text not null,
  position bigint not null default 0,
  primary key (processor, log_id)
);
create table control.processor_parked (
  processor text not null,
  log_id text not null,
  stream text not null,
  position bigint not null,
  revision integer not null,
  type text not null,
  error text not null,
  parked_at timestamptz not null default now(),
  primary key (processor, log_id, stream)
);
`,
  // The erasure manager continues where earlier versions stopped, which kept its position in a table of its own.
  `
insert into control.processor_checkpoints (processor, log_id, position)
  select 'erasures', log, bookmark from control.erasures where log is not null;
`,
  `
insert into follow.checkpoints (name, generation, partition, position)
  select coalesce(renamed.name, c.processor), 0, c.log_id, c.position
  from control.processor_checkpoints c left join ${renamed} on renamed.before = c.processor;
insert into follow.parked (name, generation, stream, partition, position, revision, type, error, parked_at)
  select coalesce(renamed.name, p.processor), 0, p.stream, p.log_id, p.position, p.revision, p.type, p.error, p.parked_at
  from control.processor_parked p left join ${renamed} on renamed.before = p.processor;
drop table control.processor_checkpoints, control.processor_parked;
`,
  // What earlier versions kept of decisions, schedules and traces are read models now. Claims cannot be folded from the log.
  `
drop table if exists control.decisions, control.session_ends, control.outcome_posters, control.summary_schedule, control.trace_memories;
update follow.checkpoints set name = 'summary-invalidations' where name = 'summary-schedule' and generation = 0;
update follow.parked set name = 'summary-invalidations' where name = 'summary-schedule' and generation = 0;
create table control.summary_claims (
  log_id text not null,
  tenant text not null,
  summary text not null,
  claimed_until timestamptz not null,
  settled text,
  primary key (log_id, tenant, summary)
);
`,
];
