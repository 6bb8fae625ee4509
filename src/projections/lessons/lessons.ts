import type { LessonEvent } from '../../domain/experience/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { digestOf } from '../../read-models/digest.ts';
import type { Projection } from '../projection.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { Recordset } from '../../read-models/recordset.ts';
import { scopeColumns, scopeColumnTypes, scopeRow } from '../scope-columns.ts';
import { insert, remove, together, type Write } from '../write.ts';

const keyColumns = { tenant: 'text', lesson_id: 'uuid' } as const;
const columns = {
  ...keyColumns,
  ...scopeColumnTypes,
  traces: 'text[]',
  support: 'integer',
  failures: 'integer',
  title: 'text',
  description: 'text',
  content: 'text',
  model: 'text',
  fallback: 'text',
  cited: 'text[]',
  position: 'bigint',
  revised_at: 'timestamptz',
} as const;
const keys = new Recordset(keyColumns);
const added = new Recordset(columns);

/** The current version of each lesson. */
export const lessons: Projection = {
  name: 'lessons',
  version: 2,
  handles: ['LessonLearned', 'LessonRevised', 'LessonForgotten'],
  tables: ['lessons'],
  create: (tables) => [
    `create table ${tables('lessons')} (
      tenant text not null,
      lesson_id uuid not null,
      ${scopeColumns},
      traces text[] not null,
      support integer not null,
      failures integer not null,
      title text not null,
      description text not null,
      content text not null,
      model text not null,
      fallback text,
      cited text[] not null,
      position bigint not null,
      revised_at timestamptz not null,
      primary key (tenant, lesson_id)
    )`,
    `create index on ${tables('lessons')} using gin (traces)`,
    ...protect(tables('lessons')),
  ],
  plan: (events, _, tables) => Promise.resolve(plan(events as readonly LoadedEvent<LessonEvent>[], tables)),
  holds: { nothing: 'what was drawn from traces, and is revised when one of them is erased' },
  digest: (tables) =>
    digestOf(tables('lessons'), {
      ...keyColumns,
      traces: 'text[]',
      support: 'integer',
      failures: 'integer',
      content: 'text',
      model: 'text',
      position: 'bigint',
    }),
};

/** The last event of a lesson says all about it. */
function plan(events: readonly LoadedEvent<LessonEvent>[], tables: Tables): Write {
  const last = new Map(events.map((loaded) => [loaded.stream, loaded]));
  const keysOf = ({ event, metadata }: LoadedEvent<LessonEvent>) => ({
    tenant: metadata.tenant,
    lesson_id: event.data.lessonId,
  });
  const rows = [...last.values()].flatMap((loaded) => {
    const { event, erased, position, time } = loaded;
    if (event.type === 'LessonForgotten' || erased) return [];
    const { lessonId: _, layer, scope, traceIds: traces, fallback, cited, ...lesson } = event.data;
    const written = { ...lesson, fallback: fallback ?? null, cited: cited ?? [] };
    return [{ ...keysOf(loaded), ...scopeRow(layer, scope), traces, ...written, position, revised_at: time }];
  });
  return together(
    remove(tables('lessons'), keys, [...last.values()].map(keysOf)),
    insert(tables('lessons'), added, rows),
  );
}
