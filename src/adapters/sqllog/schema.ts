/**
 * The log in SQL. `log.append` executes a whole group of appends in one call, so that the head row is not locked during a
 * round trip. Positions are dense and in commit order, so readers need no handling of gaps.
 */
export const logSchema: readonly string[] = [
  `
create schema log;
create table log.head (
  one boolean primary key default true check (one),
  log_id uuid not null default gen_random_uuid(),
  position bigint not null default 0,
  time timestamptz not null default '-infinity'
);
insert into log.head default values;
create table log.events (
  position bigint primary key,
  stream text not null collate "C",
  revision integer not null,
  id uuid not null unique,
  category text not null,
  type text not null,
  schema_version smallint not null,
  time timestamptz not null,
  data text not null,
  metadata text not null,
  unique (stream, revision)
);
create index events_by_type on log.events (category, type, position);

create function log.position_at(wanted timestamptz) returns bigint
language plpgsql stable as $$
declare
  low bigint := 0;
  high bigint;
  middle bigint;
begin
  select position into high from log.head;
  while low < high loop
    middle := (low + high + 1) / 2;
    if (select time <= wanted from log.events where position = middle) then low := middle; else high := middle - 1; end if;
  end loop;
  return low;
end
$$;
`,
  // An item with `needsPrevious` is written only if the item before it was: a claim, and the events that need it.
  `
create or replace function log.append(batch jsonb)
returns table (outcome text, last_revision integer, last_position bigint, at timestamptz)
language plpgsql as $$
declare
  head_position bigint;
  head_time timestamptz;
  item jsonb;
  item_events jsonb;
  item_stream text;
  wanted text;
  last integer;
  size integer;
  first_at integer;
begin
  select h.position, h.time into head_position, head_time from log.head h for update;
  head_time := greatest(head_time, date_trunc('milliseconds', clock_timestamp()));
  for item in select value from jsonb_array_elements(batch) loop
    if item ? 'needsPrevious' and outcome = 'conflict' then
      last_revision := null;
      return next;
      continue;
    end if;
    item_stream := item->>'stream';
    item_events := item->'events';
    wanted := item->>'expected';
    size := jsonb_array_length(item_events);
    select e.revision into last from log.events e where e.stream = item_stream order by e.revision desc limit 1;
    last := coalesce(last, -1);
    first_at := null;
    if wanted in ('any', 'exists') or wanted is distinct from (case last when -1 then 'noStream' else last::text end) then
      select e.revision into first_at from log.events e
        where e.id = (item_events->0->>'id')::uuid and e.stream = item_stream
        and (wanted in ('any', 'exists') or e.revision = case wanted when 'noStream' then 0 else wanted::integer + 1 end);
    end if;
    if first_at is not null and size = (
      select count(*) from jsonb_array_elements(item_events) with ordinality as wish(event, n)
      join log.events e on e.stream = item_stream and e.revision = first_at + wish.n - 1 and e.id = (wish.event->>'id')::uuid
    ) then
      outcome := 'repeated';
      select e.revision, e.position, e.time into last_revision, last_position, at from log.events e
        where e.stream = item_stream and e.revision = first_at + size - 1;
    elsif wanted = 'any' or (wanted = 'exists' and last >= 0) or wanted = (case last when -1 then 'noStream' else last::text end) then
      insert into log.events
        select head_position + wish.n, item_stream, last + wish.n, (wish.event->>'id')::uuid, item->>'category',
          wish.event->>'type', (wish.event->>'schemaVersion')::smallint, head_time, wish.event->>'data', wish.event->>'metadata'
        from jsonb_array_elements(item_events) with ordinality as wish(event, n);
      head_position := head_position + size;
      outcome := 'appended';
      last_revision := last + size;
      last_position := head_position;
      at := head_time;
    else
      outcome := 'conflict';
      last_revision := nullif(last, -1);
      last_position := null;
      at := null;
    end if;
    return next;
  end loop;
  update log.head set position = head_position, time = head_time;
  perform pg_notify('stratalog_log', '');
end
$$;
`,
];
