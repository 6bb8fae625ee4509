import type { LessonEvent } from '../../domain/experience/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Tables } from '../../read-models/table.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { scopeColumnNames, scopeColumns, scopeRow } from '../scope-columns.ts';
import { removeRows, together, upsert, type Write } from '../write.ts';

const lessonRows = new Table('lessons', {
  columns: {
    tenant: 'text',
    lesson_id: 'uuid',
    ...scopeColumns,
    traces: 'text[]',
    support: 'integer',
    failures: 'integer',
    title: 'text',
    description: 'text',
    content: 'text',
    model: 'text',
    fallback: 'text?',
    cited: 'text[]',
    position: 'bigint',
    revised_at: 'timestamptz',
  },
  key: ['tenant', 'lesson_id'],
  indexes: ['using gin (traces)'],
  undigested: [...scopeColumnNames, 'title', 'description', 'fallback', 'cited', 'revised_at'],
});

/** The current version of each lesson. */
export const lessons: Projection = {
  name: 'lessons',
  version: 2,
  handles: ['LessonLearned', 'LessonRevised', 'LessonForgotten'],
  ...declaredBy(lessonRows),
  plan: (events, _, tables) => Promise.resolve(plan(events as readonly LoadedEvent<LessonEvent>[], tables)),
  holds: { nothing: 'what was drawn from traces, and is revised when one of them is erased' },
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
    const written = { ...lesson, fallback, cited: cited ?? [] };
    return [{ ...keysOf(loaded), ...scopeRow(layer, scope), traces, ...written, position, revised_at: time }];
  });
  return together(
    removeRows(tables, lessonRows, [...last.values()].map(keysOf)),
    upsert(tables, lessonRows, rows),
  );
}
