/**
 * Checkpoints of process managers. They cannot be rebuilt and belong in the same backup as the vault: after a restore, the
 * managers handle again what they had done since, such as destroying keys.
 */
export const processorSchema: readonly string[] = [
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
];
