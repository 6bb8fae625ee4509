/**
 * What learning needs to know of searches, derived from the log like the checkpoints of the reactors that write it. It holds
 * ids, keyed hashes, times and numbers, and no text: what was asked is read from the log, where it can be erased.
 *
 * `decisions`: searches that can be learned from, with what came of them, and whether the tenant's policy and the global base have
 * learned from them; kept for a year. `session_ends`: for searches that are recorded after their session has ended; kept for a day.
 * `outcome_posters`: principals that have posted an outcome.
 */
export const learningSchema: readonly string[] = [
  `
create table control.decisions (
  log_id text not null,
  tenant text not null,
  search text not null,
  search_id text not null,
  position bigint not null,
  asked_at timestamptz not null,
  answered_at timestamptz not null,
  principal text not null,
  session text,
  choice jsonb,
  tokens integer not null,
  in_context boolean not null,
  due_at timestamptz,
  closed_by text not null,
  cause text not null,
  outcome jsonb,
  finished boolean not null,
  consumed boolean not null default false,
  primary key (log_id, tenant, search)
);
create index on control.decisions (log_id, due_at) where due_at is not null;
create index on control.decisions (log_id, tenant, session, asked_at) where session is not null;
create index on control.decisions (log_id, tenant, position) where finished and choice is not null;
create table control.session_ends (
  log_id text not null,
  tenant text not null,
  session text not null,
  ended_at timestamptz not null,
  cause text not null,
  primary key (log_id, tenant, session)
);
create table control.outcome_posters (
  log_id text not null,
  tenant text not null,
  principal text not null,
  primary key (log_id, tenant, principal)
);
`,
  'alter table control.decisions add column base_consumed boolean not null default false',
  // What waits to be learned from, among all decisions of a year.
  `
create index on control.decisions (log_id, tenant, position)
  where finished and choice is not null and not consumed
    and not (choice ->> 'evaluation')::boolean and outcome ->> 'kind' <> 'none';
create index on control.decisions (log_id, tenant, position)
  where finished and choice is not null and not base_consumed
    and not (choice ->> 'evaluation')::boolean and outcome ->> 'kind' <> 'none';
`,
];
