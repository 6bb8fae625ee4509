import type { TenantContext } from '../../domain/access/context.ts';
import { assemblySteps, type AssembledContext } from '../../domain/context/assemble.ts';
import type { Candidate } from '../../domain/context/candidate.ts';
import { replacementSteps } from '../../domain/context/replacements.ts';
import { asksPast } from '../../domain/ranking/asks-past.ts';
import { askedTimes, asksTime } from '../../domain/ranking/dates.ts';
import { runInSlices } from '../../support/time-slice.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Tokenizer } from '../../ports/tokenizer.ts';
import { listMemories } from '../list-memories.ts';
import type { ReadModels } from '../read-models.ts';
import type { RoutedSearch } from '../routing/routed-search.ts';
import type { SearchAnswer, SearchFact, SearchResult, Asked } from '../search/answer.ts';
import { timeOfAsking } from '../search/query.ts';

export interface ContextBuilderParts {
  readonly search: Pick<RoutedSearch, 'search'>;
  readonly models: ReadModels;
  readonly tokenizer: Tokenizer;
  readonly clock: Clock;
}

export interface AskedContext extends Omit<Asked, 'topK' | 'order' | 'includeSuperseded'> {
  readonly tokenBudget: number;
}

export interface ContextAnswer
  extends AssembledContext, Pick<SearchAnswer, 'searchId' | 'position' | 'warnings' | 'fact'> {
  readonly tokenizer: string;
  /** In shadow mode, resolves with further events of the search. */
  readonly later?: Promise<SearchFact>;
}

/** Determines how many memories are searched for: more than fit, so that the best can be chosen among them. */
const tokensOfShortMemory = 10;
const candidates = { least: 50, most: 1_000 };
const mostTurns = 20;
/** More tokens than the candidates may have, so that assembling takes a bounded time. */
const largestBudget = 200_000;

/** Builds the context for a question: one search by its own route, then the best filling of the budget. */
export class ContextBuilder {
  readonly #parts: ContextBuilderParts;

  constructor(parts: ContextBuilderParts) {
    this.#parts = parts;
  }

  /** Rejects as a search does. */
  async build(caller: TenantContext, { tokenBudget, ...asked }: AskedContext): Promise<ContextAnswer> {
    const { search, models, tokenizer, clock } = this.#parts;
    const started = performance.now();
    const now = timeOfAsking(asked, clock);
    const topK = Math.min(
      candidates.most,
      Math.max(candidates.least, Math.ceil(tokenBudget / tokensOfShortMemory)),
    );
    const [{ results, ...found }, turns, count] = await Promise.all([
      search.search(caller, { ...asked, now, topK, order: 'precedence' }, { keepsDistant: true }),
      recentTurns(models, caller, asked),
      tokenizer.counter(),
    ]);
    const times = askedTimes(asked.query, now);
    const isPast = asksPast(asked.query, times, now ?? clock.now());
    const replaced = isPast
      ? undefined
      : await runInSlices(replacementSteps(results.map(({ memory }) => memory)));
    const steps = assemblySteps({
      query: asked.query,
      budget: Math.min(tokenBudget, largestBudget),
      candidates: results.map((result) => ({
        ...candidateOf(result),
        supersededBy: result.supersededBy ?? replaced?.get(result.memory.id),
      })),
      turns,
      count,
      asksPast: isPast,
      asksTime: asksTime(times),
    });
    const context = await runInSlices(steps);
    const durationMs = Math.round(performance.now() - started);
    const fact = factOf(found, context, { tokenBudget, tokenizer: tokenizer.name, durationMs });
    return { ...found, ...context, tokenizer: tokenizer.name, fact };
  }
}

/** The newest memories of the session layer in the session, within the layers, spaces and scope that are asked for. */
async function recentTurns(
  models: ReadModels,
  caller: TenantContext,
  { sessionId, layers, scope, spaces, asOf, minPosition, waitMs }: Omit<AskedContext, 'tokenBudget'>,
): Promise<readonly Candidate[]> {
  const isElsewhere = scope?.session !== undefined && scope.session !== sessionId;
  if (sessionId === undefined || isElsewhere || (layers && !layers.includes('session'))) return [];
  const { items } = await listMemories(models, caller, {
    layers: ['session'],
    scope: { ...scope, session: sessionId },
    spaces,
    asOf,
    limit: mostTurns,
    minPosition,
    waitMs,
  });
  return items.map((memory) => candidateOf({ memory, relevance: 1 }));
}

function candidateOf({
  memory,
  relevance,
  passage,
  supersededBy,
}: Omit<SearchResult, 'rank' | 'score'>): Candidate {
  const { id, externalId, layer, content, occurredAt, createdAt } = memory;
  return { id, externalId, layer, content, time: occurredAt ?? createdAt, relevance, passage, supersededBy };
}

/** The events of the search, and of what was put into the context instead of what the search would have returned. */
function factOf(
  { fact, searchId }: Pick<SearchAnswer, 'fact' | 'searchId'>,
  { items, leftOut, tokenCount }: AssembledContext,
  measured: { readonly tokenBudget: number; readonly tokenizer: string; readonly durationMs: number },
): SearchFact {
  const memoryIds = [...new Set(items.map(({ id }) => id))];
  return {
    id: fact.id,
    events: [
      ...fact.events.filter(({ type }) => type !== 'MemoriesAccessed'),
      {
        type: 'ContextAssembled',
        data: {
          searchId,
          ...measured,
          tokenCount,
          items: items.map(({ kind, id, tokens, start, end }) => ({
            kind,
            memoryId: id,
            tokens,
            ...(start !== undefined && { start, end }),
          })),
          leftOut: leftOut.map(({ id, reason }) => ({ memoryId: id, reason })),
        },
      },
      ...(memoryIds.length > 0
        ? [{ type: 'MemoriesAccessed' as const, data: { searchId, how: 'context' as const, memoryIds } }]
        : []),
    ],
  };
}
