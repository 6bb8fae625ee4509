import type { JsonObject } from '../../domain/json.ts';
import { precedence } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import type { Scored } from './shortlist.ts';
import { factsOf } from './facts.ts';
import type { SearchRequest } from './query.ts';
import type { Finding, Warning } from './search.ts';

export interface SearchResult {
  readonly memory: MemoryView;
  readonly score: number;
  /** 1-based, in the order returned. */
  readonly rank: number;
  /** The memory that says it anew, where links tell of one that the caller sees. */
  readonly supersededBy?: string;
}

/** Facts of one search, for its stream in the log. */
export interface SearchFact {
  /** Names the stream: the search's own id. */
  readonly id: string;
  readonly events: readonly Exclude<RetrievalEvent, { type: 'FeedbackGiven' }>[];
}

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  readonly searchId: string;
  readonly position: number;
  readonly warnings: readonly Warning[];
  /** What happened, for the log. */
  readonly fact: SearchFact;
}

type Performed = Extract<RetrievalEvent, { type: 'SearchPerformed' }>;

/** How an answer came about, beside what was found. */
export interface Performance {
  /** Of the search: the name of its stream, and as its caller knows it. */
  readonly id: string;
  readonly searchId: string;
  readonly route: Performed['data']['route'];
  readonly decision?: Performed['data']['decision'];
  readonly durationMs: number;
  readonly filterAsSent?: JsonObject | undefined;
  /** What supersedes the memories that were found, by their ids. */
  readonly superseding: ReadonlyMap<string, string>;
}

/** One answer of one shape, whatever route found it, with its facts: what was asked and answered, and what was accessed. */
export function answerOf(request: SearchRequest, finding: Finding, performance: Performance): SearchAnswer {
  const { id, searchId, superseding } = performance;
  const { position, warnings, embeddingModel: model } = finding;
  const answer = { results: arrange(finding.best, request.order, superseding), searchId, position, warnings };
  return { ...answer, fact: { id, events: factsOf(request, { ...answer, model, performance }) } };
}

/** The same answer, with how it came about beside its facts. */
export function withEvents(answer: SearchAnswer, more: SearchFact['events']): SearchAnswer {
  const { id, events } = answer.fact;
  return { ...answer, fact: { id, events: [...events, ...more] } };
}

/** The order that was asked for (D4), and the ranks in it. `best` is in the order of relevance. */
function arrange(
  best: readonly Scored[],
  order: SearchRequest['order'],
  superseding: ReadonlyMap<string, string>,
): SearchResult[] {
  const arranged =
    order === 'relevance'
      ? best
      : [...best].sort(
          (left, right) =>
            precedence(left.memory.layer) - precedence(right.memory.layer) || right.score - left.score,
        );
  return arranged.map(({ memory, score }, index) => {
    const supersededBy = superseding.get(memory.id);
    return { memory, score, rank: index + 1, ...(supersededBy !== undefined && { supersededBy }) };
  });
}
