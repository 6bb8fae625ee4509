/**
 * Which traces name a memory: they are erased with it. Derived from the log, like the checkpoint of the reactor that writes
 * it.
 */
export const traceMemoriesSchema: readonly string[] = [
  `
create table control.trace_memories (
  log_id text not null,
  tenant text not null,
  memory_id text not null,
  trace_id text not null,
  primary key (log_id, tenant, memory_id, trace_id)
);
`,
  // An erased trace removes all its rows.
  'create index on control.trace_memories (log_id, tenant, trace_id)',
];
