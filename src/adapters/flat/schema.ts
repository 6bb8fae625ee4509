/** Which vectors have changed: noted by triggers on their tables, and forgotten when what is in memory has followed. */
export const changesSchema: readonly string[] = [
  `
create table read.vector_changes (
  number bigint generated always as identity primary key,
  kept text not null,
  tenant text not null,
  memory_id uuid not null
);
alter table read.vector_changes enable row level security;
create policy own_tenant on read.vector_changes for select to stratalog_query using (tenant = current_setting('app.tenant', true));
grant select on read.vector_changes to stratalog_query;
create function read.note_vector_changes() returns trigger language plpgsql as $$
begin
  insert into read.vector_changes (kept, tenant, memory_id) select tg_table_name, tenant, memory_id from changed;
  notify vector_changes;
  return null;
end $$;
`,
];
