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
];
