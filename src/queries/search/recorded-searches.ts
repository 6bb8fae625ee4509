import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { searchOf } from '../../domain/retrieval/search-id.ts';
import { retrievalStream } from '../../domain/streams.ts';
import type { StreamName } from '../../ports/event-log.ts';
import type { EventStore, LoadedEvent } from '../../ports/event-store.ts';
import type { ReadModels } from '../read-models.ts';

type SearchPerformed = Extract<RetrievalEvent, { type: 'SearchPerformed' }>;
type FeedbackGiven = Extract<RetrievalEvent, { type: 'FeedbackGiven' }>;

/** A search that was performed, and the feedback on its answer. */
export interface RecordedSearch {
  readonly tenant: string;
  readonly asked: SearchPerformed['data'];
  /** Whether a memory was called helpful, by its id. The latest feedback counts. */
  readonly judgements: ReadonlyMap<string, boolean>;
}

/** How much of the latest feedback is read to find judged searches. */
const maxFeedback = 1_000;

/**
 * Searches of all tenants: the latest that were judged, then the latest of all; at most `most` of each, and each question once.
 * Erased searches are left out. For the program's own comparisons only: no caller may see queries of other tenants.
 */
export async function recordedSearches(
  store: EventStore,
  readModels: ReadModels,
  most: number,
): Promise<readonly RecordedSearch[]> {
  const judgements = new Map<string, { tenant: string; of: Map<string, boolean> }>();
  for (const { event, metadata } of (
    await lastEvents(store, readModels, 'FeedbackGiven', maxFeedback)
  ).reverse()) {
    const { searchId, memoryId, kind } = (event as FeedbackGiven).data;
    if (searchId === undefined || (kind !== 'helpful' && kind !== 'irrelevant')) continue;
    const known = judgements.get(searchId) ?? { tenant: metadata.tenant, of: new Map<string, boolean>() };
    // Inserted again, so that the search judged last is the last entry.
    judgements.delete(searchId);
    judgements.set(searchId, known);
    known.of.set(memoryId, kind === 'helpful');
  }
  const judged = await Promise.all(
    [...judgements]
      .slice(-most)
      .map(([searchId, { tenant }]) => store.loadOne(retrievalStream(tenant, searchOf(searchId)), 0)),
  );
  const recent = await lastEvents(store, readModels, 'SearchPerformed', most);
  const found = new Map<string, RecordedSearch>();
  for (const loaded of [...judged.reverse(), ...recent]) {
    if (!loaded || loaded.erased || loaded.event.type !== 'SearchPerformed') continue;
    const { tenant } = loaded.metadata;
    const asked = loaded.event.data;
    const { query, layers, scope, spaces, tags, filter } = asked;
    const key = JSON.stringify([tenant, query, layers, scope, spaces, tags, filter]);
    if (!found.has(key))
      found.set(key, { tenant, asked, judgements: judgements.get(asked.searchId)?.of ?? new Map() });
  }
  return [...found.values()];
}

/** The latest events of a type in all tenants, newest first. */
async function lastEvents(
  store: EventStore,
  readModels: ReadModels,
  type: (SearchPerformed | FeedbackGiven)['type'],
  most: number,
): Promise<LoadedEvent[]> {
  const rows = await readModels.read({ projections: ['audit'] }, (view) =>
    readModels.sql.query<{ stream: StreamName; revision: number }>(
      `select stream, revision from ${view.table('audit')} where type = $1 order by position desc limit $2`,
      [type, most],
    ),
  );
  const events = await Promise.all(rows.map(({ stream, revision }) => store.loadOne(stream, revision)));
  return events.filter((event) => event !== undefined);
}
