import type { FeedbackEvent, RetrievalEvent } from '../../domain/retrieval/events.ts';
import { estimateTokens } from '../../domain/text/estimate-tokens.ts';
import type { Asked, Performance, SearchAnswer } from './answer.ts';
import type { Scored } from './shortlist.ts';

type SearchFact = Exclude<RetrievalEvent, FeedbackEvent>;

/** An answer, as far as it is recorded in the log. */
export interface RecordedAnswer extends Pick<SearchAnswer, 'results' | 'searchId' | 'position' | 'warnings'> {
  /** Id of the embedding model that compared meaning. */
  readonly model: string | undefined;
  readonly performance: Performance;
  /** Log-odds from feedback, value and age, by memory id. */
  readonly added: ReadonlyMap<string, Pick<Scored, 'feedback' | 'value' | 'decay'>>;
}

/** The events of a search: what was asked and answered, and which memories were shown. */
export function factsOf(
  request: Asked,
  { results, searchId, position, warnings, model, performance, added }: RecordedAnswer,
): SearchFact[] {
  const { route, decision, durationMs, filterAsSent, session } = performance;
  const performed: SearchFact = {
    type: 'SearchPerformed',
    data: {
      searchId,
      ...(request.layers && { layers: [...request.layers] }),
      ...(request.scope && { scope: request.scope }),
      ...(request.spaces && { spaces: [...request.spaces] }),
      ...(request.spaceChoice && { spaceChoice: request.spaceChoice }),
      topK: request.topK,
      ...(request.threshold !== undefined && { threshold: request.threshold }),
      order: request.order,
      ...(request.includeSuperseded === false && { includeSuperseded: false }),
      ...(request.now && { now: request.now.toISOString() }),
      readPosition: position,
      ...(model !== undefined && { embeddingModel: model }),
      results: results.map(({ memory, rank, score, relevance }) => {
        const { feedback, value, decay } = added.get(memory.id) ?? {};
        return {
          memoryId: memory.id,
          rank,
          relevance,
          score,
          ...(feedback && { feedback }),
          ...(value && { value }),
          ...(decay && { decay }),
        };
      }),
      warnings: warnings.map(({ code }) => code),
      durationMs: Math.round(durationMs),
      route,
      ...(decision && { decision }),
      ...(session !== undefined && { session }),
      tokens: performance.tokens ?? estimateTokens(request.query.length),
      query: request.query,
      ...(request.tags && { tags: [...request.tags] }),
      ...(filterAsSent && { filter: filterAsSent }),
      ...(request.sessionId !== undefined && { sessionId: request.sessionId }),
    },
  };
  if (results.length === 0) return [performed];
  const memoryIds = results.map(({ memory }) => memory.id);
  return [performed, { type: 'MemoriesAccessed', data: { searchId, how: 'search', memoryIds } }];
}
