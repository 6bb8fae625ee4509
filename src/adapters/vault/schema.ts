/** The vault's own tables. A destroyed key keeps its row without key bytes: the tombstone. */
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
];
