import type { JsonObject } from '../../domain/json.ts';
import { precedence } from '../../domain/layers.ts';
import { successorsFirst } from '../../domain/links/successors-first.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { Moved } from '../../domain/ranking/precedence-order.ts';
import { scoreOf } from '../../domain/ranking/score-scale.ts';
import type { FeedbackEvent, RetrievalEvent } from '../../domain/retrieval/events.ts';
import type { SpaceChoice } from '../../domain/retrieval/space-choice.ts';
import type { Scored } from './shortlist.ts';
import { factsOf } from './facts.ts';
import { placesOf, type PassagePlaces, type Place } from './passage-places.ts';
import type { SearchRequest } from './query.ts';
import type { Finding, Warning } from './finding.ts';

export interface SearchResult {
  readonly memory: MemoryView;
  readonly score: number;
  /** The calibrated probability that the memory is relevant; `score` is a function of it. */
  readonly relevance: number;
  /** The part of a long memory that matches best, or of the representation that does. */
  readonly passage?: Place;
  /** 1-based, in the order returned. */
  readonly rank: number;
  /** Why it is placed ahead of a result with a higher score. */
  readonly moved?: Moved;
  /** Id of the memory that supersedes it, if links name one that the caller may see. */
  readonly supersededBy?: string;
}

/** How the results of an answer are ordered (D4). */
export type ResultOrder = 'precedence' | 'relevance' | 'layer';

/** Events of one search, for its stream in the log. */
export interface SearchFact {
  /** Id of the search, which names the stream. */
  readonly id: string;
  readonly events: readonly Exclude<RetrievalEvent, FeedbackEvent>[];
}

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  readonly searchId: string;
  readonly position: number;
  readonly warnings: readonly Warning[];
  /** The events to record in the log. */
  readonly fact: SearchFact;
}

type Performed = Extract<RetrievalEvent, { type: 'SearchPerformed' }>;

/** How an answer was produced. */
export interface Performance {
  /** Id of the search: in the name of its stream, and as the caller receives it. */
  readonly id: string;
  readonly searchId: string;
  readonly route: Performed['data']['route'];
  readonly decision?: Performed['data']['decision'];
  readonly durationMs: number;
  /** Keyed hash of the session. */
  readonly session?: string | undefined;
  /** Tokens spent on the answer; by default those of its text. */
  readonly tokens?: number | undefined;
  readonly filterAsSent?: JsonObject | undefined;
  /** Ids of superseding memories, by the id of the memory found. */
  readonly superseding: ReadonlyMap<string, string>;
}

/** The part of a request that its answer and its facts depend on. */
export interface Asked extends Omit<SearchRequest, 'threshold'> {
  readonly order: ResultOrder;
  readonly sessionId?: string | undefined;
  /** Lowest score of a result; without one the answer is focused. */
  readonly threshold?: number | undefined;
  /** Whether memories are shown that another one supersedes; true by default. */
  readonly includeSuperseded?: boolean | undefined;
  /** How `spaces` were chosen, if the caller left that open. */
  readonly spaceChoice?: SpaceChoice | undefined;
}

/** The answer to a search, in the same shape whatever route produced it, with the events to record. */
export async function answerOf(
  request: Asked,
  finding: Finding,
  performance: Performance,
): Promise<SearchAnswer> {
  const { id, searchId, superseding } = performance;
  const { position, warnings, embeddingModel: model } = finding;
  const places = await placesOf(finding.best);
  const results = arrange(finding.best, request.order, { superseding, places });
  const answer = { results, searchId, position, warnings };
  const added = new Map(finding.best.map((found) => [found.memory.id, found]));
  return { ...answer, fact: { id, events: factsOf(request, { ...answer, model, performance, added }) } };
}

/** Adds events to record to an answer, such as its trajectory. */
export function withEvents(answer: SearchAnswer, more: SearchFact['events']): SearchAnswer {
  const { id, events } = answer.fact;
  return { ...answer, fact: { id, events: [...events, ...more] } };
}

/**
 * Puts results in the requested order (D4), each superseded one behind its successor, and numbers them. `best` is ordered by
 * relevance or, where requested, by precedence.
 */
function arrange(
  best: readonly Scored[],
  order: ResultOrder,
  { superseding, places }: Pick<Performance, 'superseding'> & { readonly places: PassagePlaces },
): SearchResult[] {
  const ordered =
    order === 'layer'
      ? [...best].sort(
          (left, right) =>
            precedence(left.memory.layer) - precedence(right.memory.layer) || right.score - left.score,
        )
      : best;
  const arranged = successorsFirst(
    ordered,
    ({ memory }) => memory.id,
    (id) => superseding.get(id),
  );
  const reasons = reasonsOf(arranged, order, superseding);
  return arranged.map(({ memory, score: relevance }, index) => {
    const moved = reasons[index];
    const passage = places.get(memory.id);
    const supersededBy = superseding.get(memory.id);
    const score = scoreOf(relevance);
    return {
      memory,
      score,
      relevance,
      rank: index + 1,
      ...(passage && { passage }),
      ...(moved && { moved }),
      ...(supersededBy !== undefined && { supersededBy }),
    };
  });
}

/** Why each result is placed ahead of one with a higher score; undefined if no later result scores higher. */
function reasonsOf(
  arranged: readonly Scored[],
  order: ResultOrder,
  superseding: ReadonlyMap<string, string>,
): readonly (Moved | undefined)[] {
  let highest = -Infinity;
  const superseded = new Set<string>();
  const reasons = arranged.toReversed().map(({ memory, score, moved }) => {
    const isMoved = score < highest;
    highest = Math.max(highest, score);
    const supersedes = superseded.has(memory.id);
    const successor = superseding.get(memory.id);
    if (successor !== undefined) superseded.add(successor);
    if (!isMoved) return undefined;
    if (supersedes) return 'supersedes';
    // The caller asked for this order.
    return order === 'layer' ? undefined : moved;
  });
  return reasons.reverse();
}
