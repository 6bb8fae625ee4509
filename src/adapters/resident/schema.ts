/** Records which rows of cached tables have changed: triggers insert the records, and the cache deletes those it has applied. */
export const changesSchema: readonly string[] = [
  `
drop function if exists read.note_vector_changes cascade;
drop table if exists read.vector_changes;
create table read.noted_changes (
  number bigint generated always as identity primary key,
  kind text not null,
  kept text not null,
  tenant text not null,
  memory_id uuid not null
);
alter table read.noted_changes enable row level security;
create policy own_tenant on read.noted_changes for select to stratalog_query using (tenant = current_setting('app.tenant', true));
grant select on read.noted_changes to stratalog_query;
create function read.note_changes() returns trigger language plpgsql as $$
begin
  insert into read.noted_changes (kind, kept, tenant, memory_id)
  select tg_argv[0], tg_table_name, tenant, memory_id from changed;
  perform pg_notify('noted_' || tg_argv[0], '');
  return null;
end $$;
`,
];
