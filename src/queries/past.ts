import type { ContextBuilder } from './context/context-builder.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { ReadModels } from './read-models.ts';
import type { RoutedSearch } from './routing/routed-search.ts';
import type { SummaryReader } from './summaries/list-summaries.ts';

/** The query side over read models that stand at a position of the past: its answers are those of then. */
export interface PastQueries {
  readonly position: number;
  /** When the log had reached the position. */
  readonly time: Date;
  readonly models: ReadModels;
  /** Its requests name the position as `asOf`. */
  readonly search: RoutedSearch;
  readonly contexts: ContextBuilder;
  readonly summaries: SummaryReader;
}

export interface Past {
  /** Whether `at` would answer at once. */
  has(asked: { readonly tenant: string; readonly position: number }): boolean;
  /**
   * Calls `use` with the read models of a tenant as of a position. They are filled from the log if they are not kept yet, which
   * takes as long as a rebuild. After `waitMs` (2,000 by default) this rejects with `position-timeout`, and a later call finds
   * what is done.
   */
  at<Result>(
    asked: { readonly tenant: string; readonly position: number; readonly waitMs?: number | undefined },
    use: (queries: PastQueries) => Promise<Result>,
  ): Promise<Result>;
}

/** When the log had reached a position: the time of its last event up to there. */
export async function timeAt(log: Pick<EventLog, 'readAll'>, position: number): Promise<Date> {
  const { events } = await log.readAll({ after: position + 1, direction: 'backwards', limit: 1 });
  return events[0]?.time ?? new Date(0);
}
