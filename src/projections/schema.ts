import { followTables } from '../follow/schema.ts';
import { protect } from '../read-models/table.ts';
import { refusedTextTable, spaceVectorTable } from '../read-models/vectors/tables.ts';

/** The generations of the read models. Like their tables they can be deleted and are then rebuilt from the log. */
export const projectionSchema: readonly string[] = [
  `
create schema read;
grant usage on schema read to stratalog_query;
create table read.generations (
  name text not null,
  generation integer not null,
  signature text not null,
  state text not null,
  bookmark bigint not null default 0,
  digest text,
  equal boolean,
  started_at timestamptz not null default now(),
  error text,
  primary key (name, generation)
);
create table read.active (
  name text primary key,
  generation integer not null,
  previous integer
);
create table read.parked (
  name text not null,
  generation integer not null,
  stream text not null,
  position bigint not null,
  revision integer not null,
  type text not null,
  error text not null,
  parked_at timestamptz not null default now(),
  primary key (name, generation, stream)
);
create table control.leases (
  name text primary key,
  holder text not null,
  epoch bigint not null,
  expires_at timestamptz not null
);
grant select on read.generations, read.active, read.parked to stratalog_query;
`,
  // Stream names contain tenants, and no query reads them.
  `
revoke select on read.parked from stratalog_query;
`,
  // With several partitions each one has its own bookmark.
  `
create table read.bookmarks (
  name text not null,
  generation integer not null,
  partition text not null,
  bookmark bigint not null default 0,
  primary key (name, generation, partition)
);
insert into read.bookmarks (name, generation, partition, bookmark)
  select name, generation, 'log', bookmark from read.generations;
alter table read.generations drop column bookmark;
alter table read.parked add column partition text not null default 'log';
alter table read.parked alter column partition drop default;
grant select on read.bookmarks to stratalog_query;
`,
  // Leases have a table of their own, since not only projections use them.
  `
drop table control.leases;
`,
  // Numbers are never reused: another process may still write to a generation that was dropped.
  `
create table read.generation_numbers (
  name text primary key,
  last integer not null
);
insert into read.generation_numbers (name, last)
  select name, max(generation) from read.generations group by name;
`,
  // Comparison of a new model with the live one.
  `
alter table read.generations add column comparison jsonb;
`,
  // Since when a generation that is being built is stalled by its error.
  `
alter table read.generations add column failing_since timestamptz;
`,
  // Vectors may be left out of the index. Those stored so far, and by older processes, are in it.
  `
do $$
declare kept text;
begin
  for kept in select tablename from pg_tables where schemaname = 'read' and tablename like 'kept\\_vectors\\_%' loop
    execute format('alter table read.%I add column in_graph boolean not null default true', kept);
    execute format('create index %I on read.%I (tenant, memory_id) where not in_graph', kept || '_apart', kept);
  end loop;
end $$;
`,
  // Counts of the terms of passages. Generations of earlier versions have none; they are read until they are rebuilt.
  `
do $$
declare texts text; counts text;
begin
  for texts, counts in
    select c.relname, format_type(a.atttypid, null) from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'counts'
    where c.relnamespace = 'read'::regnamespace and c.relkind = 'r' and c.relname like 'lexical\\_g%'
  loop
    execute format('alter table read.%I add column passage_terms %s, add column passage_lengths text', texts, counts);
  end loop;
end $$;
`,
  // The terms of a text as a text, for indexes: the same as `termText` in src/domain/text/term-text.ts.
  `
create function read.term_text(counts jsonb) returns text language sql immutable parallel safe return (
  select coalesce(string_agg(repeat(key || ' ', least(value::integer, 32)), '' order by key collate "C"), '')
  from jsonb_each_text(counts)
);
`,
  // Whatever follows the log keeps its checkpoint in the same tables.
  `
${followTables}
insert into follow.checkpoints (name, generation, partition, position)
  select name, generation, partition, bookmark from read.bookmarks;
insert into follow.parked (name, generation, stream, partition, position, revision, type, error, parked_at)
  select name, generation, stream, partition, position, revision, type, error, parked_at from read.parked;
drop table read.bookmarks, read.parked;
`,
  // Texts that a model does not embed. A summary with such a text has no vector.
  `
create table ${refusedTextTable} (
  model text not null,
  tenant text not null,
  memory_id uuid not null,
  stream text not null,
  text_hash text not null,
  revision integer not null,
  position bigint not null,
  type text not null,
  error text not null,
  endpoint text not null,
  attempts integer not null default 1,
  due_at timestamptz not null,
  skipped boolean not null default false,
  primary key (model, tenant, memory_id)
);
${protect(refusedTextTable).join(';\n')};
do $$
declare summaries text;
begin
  for summaries in select tablename from pg_tables where schemaname = 'read' and tablename like 'summaries\\_g%' loop
    execute format('alter table read.%I alter column context_vector drop not null', summaries);
  end loop;
end $$;
`,
  // Vectors by the models of spaces. Their dimensions differ, and they are compared one by one.
  `
create table ${spaceVectorTable} (
  tenant text not null,
  memory_id uuid not null,
  model text not null,
  text_hash text not null,
  embedding vector not null,
  primary key (tenant, memory_id, model)
);
${protect(spaceVectorTable).join(';\n')};
`,
];
