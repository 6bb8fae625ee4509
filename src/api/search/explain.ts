import type { z } from 'zod';
import { searchShape } from '../../domain/admission/ceilings.ts';
import { scoreOf } from '../../domain/ranking/score-scale.ts';
import type { RoutedAnswer } from '../../queries/routing/routed-search.ts';
import {
  judgedCandidates,
  leastShown,
  type JudgedCandidate,
} from '../../queries/search/explained-candidates.ts';
import { maxExplained, SearchExplanation, type ExplainedSearch } from '../../queries/search/explanation.ts';
import { placesOf } from '../../queries/search/passage-places.ts';
import { searchedModels } from '../../queries/search/search.ts';
import { trajectoryOf } from '../audit/shown-trajectory.ts';
import { decorated } from '../memories/decorated.ts';
import { operation, type RoleAccess } from '../operation.ts';
import { explanationExample, searchBodyExample } from './examples.ts';
import { explanationSchema } from './explanation-schema.ts';
import { searchCost, searchFieldHints, withContent } from './fields.ts';
import { searchFor, searchInput } from './search.ts';

const explainers: RoleAccess = {
  roles: ['auditor', 'admin'],
  refusal: 'explaining a search needs the role auditor or admin',
};

/** Work that the explanation adds, in units of a plain search. */
const explanationCost = 1;

/**
 * The search and its results are recorded as events, like those of any other search. Its caller also sees candidates that are no results,
 * so it is an audited read as well.
 */
export const explainSearch = operation({
  name: 'explainSearch',
  summary:
    'Search, and explain why each memory was returned or left out. Recorded as a search of the caller, and as a read in the audit',
  area: 'Search',
  input: searchInput,
  fieldHints: searchFieldHints,
  output: explanationSchema,
  examples: { input: searchBodyExample, output: explanationExample },
  access: explainers,
  reads: 'read-models',
  awaitsOwn: searchedModels,
  cost: (input) => searchCost(input) + explanationCost,
  shape: (input) => searchShape(input),
  audit: { what: 'search explanation', when: 'always' },
  async handle(call) {
    const { caller, input, services, token } = call;
    const explanation = new SearchExplanation();
    const { answer, spaceChoice } = await searchFor(call, explanation);
    const performed = performedOf(answer);
    const isDecomposed = performed.route === 'decomposition';
    const results = new Map(answer.results.map((result) => [result.memory.id, result]));
    const judged = judgedCandidates(explanation, { results: new Set(results.keys()), isDecomposed });
    const byId = new Map(judged.map((each) => [each.found.memory.id, each]));
    const leftOut = judged.filter((each) => each.leftOut !== undefined);
    const shown = [
      ...answer.results.flatMap(({ memory }) => byId.get(memory.id) ?? []),
      ...leftOut.slice(0, Math.max(0, maxExplained - results.size)),
    ];
    const places = await placesOf(shown.map(({ found }) => found));
    const memories = await decorated(
      services,
      caller,
      shown.map(({ found }) => found.memory),
    );
    const candidates = shown.map((each, index) => {
      const memory = memories[index]!;
      const result = results.get(memory.id);
      if (result) return { ...explained(each), ...result, memory, state: 'kept' as const };
      const passage = places.get(memory.id);
      const relevance = each.found.score;
      return {
        ...explained(each),
        memory,
        state: 'left-out' as const,
        reason: each.leftOut,
        relevance,
        score: scoreOf(relevance),
        ...(passage && { passage }),
      };
    });
    const leastScore = leastShown(explanation.choice);
    return {
      output: {
        searchId: answer.searchId,
        position: token(answer.position),
        ...(spaceChoice && { spaces: spaceChoice }),
        durationMs: performed.durationMs,
        embeddingModel: performed.embeddingModel,
        routing: routingOf(answer),
        ...(leastScore !== undefined && {
          cut: {
            kind: input.threshold === undefined ? ('focused' as const) : ('threshold' as const),
            leastScore,
          },
        }),
        searches: explanation.searches.map(shownSearch),
        candidates: withContent(candidates, input.content),
        warnings: answer.warnings,
      },
      read: { items: candidates.length, parameters: { searchId: answer.searchId } },
    };
  },
});

function explained({ parts, ranks, candidate: { evidence } }: JudgedCandidate) {
  return {
    parts,
    evidence,
    ranks: ranks.map(({ inPeriods, ...rank }) => ({ ...rank, ...(inPeriods && { inPeriods }) })),
  };
}

function routingOf(answer: RoutedAnswer): z.input<typeof explanationSchema>['routing'] {
  const { route, decision } = performedOf(answer);
  const { choice, ...asked } = decision!;
  const trajectory = answer.fact.events.find((event) => event.type === 'TrajectoryRecorded')?.data;
  return { route, ...asked, ...choice, ...(trajectory && { trajectory: trajectoryOf(trajectory) }) };
}

function shownSearch({ purpose, text, words, preparationMs, attempt }: ExplainedSearch) {
  const { limit, found, sources, candidatesMs, rankingMs } = attempt;
  return {
    purpose,
    text,
    words,
    limit,
    candidates: found,
    sources: sources.map(({ kind, inPeriods, durationMs, ids }) => ({
      source: kind,
      ...(inPeriods && { inPeriods }),
      found: ids.length,
      durationMs: rounded(durationMs),
    })),
    preparationMs: rounded(preparationMs),
    candidatesMs: rounded(candidatesMs),
    rankingMs: rounded(rankingMs),
  };
}

function performedOf({ fact }: RoutedAnswer) {
  return fact.events.find((event) => event.type === 'SearchPerformed')!.data;
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
