/** It stands with the leases, since it cannot be rebuilt: what a topic holds does not tell what it held. */
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
