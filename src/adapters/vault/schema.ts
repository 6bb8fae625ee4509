/** SQLSTATE of `control.append_with_keys` if the vault already has a key of the group; then nothing of the group was written. */
export const keyTaken = 'SK001';

/** The vault's tables. The row of a destroyed key is kept without key bytes, as a tombstone. */
export const vaultSchema: readonly string[] = [
  `
create table control.vault (
  one boolean primary key default true check (one),
  proof bytea not null
);
create table control.subject_keys (
  tenant text not null,
  subject text not null,
  wrapped bytea,
  destroyed_at timestamptz,
  primary key (tenant, subject)
);
create table control.data_keys (
  tenant text not null,
  id text not null,
  subject text,
  wrapped bytea,
  destroyed_at timestamptz,
  primary key (tenant, id)
);
create table control.erasures (
  one boolean primary key default true check (one),
  bookmark bigint not null
);
`,
  `
create or replace function control.insert_data_keys(tenants text[], ids text[], subjects text[], wrapped_keys text[], is_durable boolean)
returns table (new_tenant text, new_id text)
language plpgsql as $$
begin
  if not is_durable then perform set_config('synchronous_commit', 'off', true); end if;
  return query
    insert into control.data_keys (tenant, id, subject, wrapped)
    select k.tenant, k.id, k.subject, decode(k.wrapped, 'base64')
    from unnest(tenants, ids, subjects, wrapped_keys) as k(tenant, id, subject, wrapped)
    on conflict (tenant, id) do nothing
    returning data_keys.tenant, data_keys.id;
end
$$;
`,
  // For a log in the same database: writes a new key and the events sealed by it atomically.
  `
create function control.append_with_keys(batch jsonb)
returns table (outcome text, last_revision integer, last_position bigint, at timestamptz)
language plpgsql as $$
declare
  wanted integer;
  taken integer;
begin
  select count(*) into wanted from jsonb_array_elements(batch) as item(value) where item.value ? 'key';
  insert into control.data_keys (tenant, id, subject, wrapped)
    select item.value->'key'->>'tenant', item.value->'key'->>'id', item.value->'key'->>'subject', decode(item.value->'key'->>'wrapped', 'base64')
    from jsonb_array_elements(batch) as item(value)
    where item.value ? 'key'
    order by 1, 2
    on conflict (tenant, id) do nothing;
  get diagnostics taken = row_count;
  if taken < wanted then raise exception 'a key of this group is in the vault already' using errcode = '${keyTaken}'; end if;
  return query select * from log.append(batch);
end
$$;
`,
  'alter table control.erasures add column log text',
  // The keys of refused appends are deleted again: they seal nothing.
  `
create or replace function control.append_with_keys(batch jsonb)
returns table (outcome text, last_revision integer, last_position bigint, at timestamptz)
language plpgsql as $$
declare
  wanted integer;
  taken integer;
  n integer := 0;
begin
  select count(*) into wanted from jsonb_array_elements(batch) as item(value) where item.value ? 'key';
  insert into control.data_keys (tenant, id, subject, wrapped)
    select item.value->'key'->>'tenant', item.value->'key'->>'id', item.value->'key'->>'subject', decode(item.value->'key'->>'wrapped', 'base64')
    from jsonb_array_elements(batch) as item(value)
    where item.value ? 'key'
    order by 1, 2
    on conflict (tenant, id) do nothing;
  get diagnostics taken = row_count;
  if taken < wanted then raise exception 'a key of this group is in the vault already' using errcode = '${keyTaken}'; end if;
  for outcome, last_revision, last_position, at in select * from log.append(batch) loop
    if outcome = 'conflict' and batch->n ? 'key' then
      delete from control.data_keys k
        where k.tenant = batch->n->'key'->>'tenant' and k.id = batch->n->'key'->>'id';
    end if;
    n := n + 1;
    return next;
  end loop;
end
$$;
`,
];
