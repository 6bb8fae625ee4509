/**
 * Tables in the schema `control`, next to the leases: they cannot be rebuilt, since a topic does not tell which records it once held.
 */
export const relaySchema: readonly string[] = [
  `
create table control.relay_checkpoints (
  log_id text not null,
  prefix text not null,
  position bigint not null default 0,
  epoch bigint not null,
  saved_at timestamptz not null default now(),
  primary key (log_id, prefix)
);
`,
];
