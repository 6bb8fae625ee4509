import type { Meter } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { rulePolicy } from '../domain/routing/policy.ts';
import { systemClock } from '../ports/clock.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import type { LanguageModelFor } from '../ports/language-model.ts';
import type { Sql } from '../ports/sql.ts';
import { MultiHopSearch } from '../queries/hops/multi-hop-search.ts';
import { BreakerOpen } from '../queries/model-guard.ts';
import type { ReadModels } from '../queries/read-models.ts';
import { RefinementCache } from '../queries/reasoning/refinement-cache.ts';
import { Reasoner } from '../queries/reasoning/reasoner.ts';
import { findChildPlaces } from '../queries/routing/child-places.ts';
import { Executor } from '../queries/routing/executor.ts';
import { ModelPlanner } from '../queries/routing/model-planner.ts';
import { findMentions, mentionedBy, questionPlanner } from '../queries/routing/question-planner.ts';
import { OutcomePosters } from '../queries/routing/outcome-posters.ts';
import type { RoutePolicies } from '../queries/routing/route-policies.ts';
import { RoutedSearch } from '../queries/routing/routed-search.ts';
import type { RoutingDirectory } from '../queries/routing/routing-directory.ts';
import { VocabularyReader } from '../queries/routing/vocabulary.ts';
import type { SearchService } from '../queries/search/search.ts';
import type { Surfaces } from '../queries/surfaces.ts';
import { executionMetrics, routingMetrics } from '../observability/rlm-metrics.ts';
import { inPartialSpan } from '../support/tracing.ts';
import { reasoningMetrics } from '../observability/telemetry.ts';

export interface SearchParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly models: ReadModels;
  readonly retrieval: SearchService;
  readonly surfaces: Surfaces;
  readonly vault: KeyVault;
  readonly routing: RoutingDirectory;
  readonly policies: RoutePolicies;
  /** Undefined if none is configured. */
  readonly languageModel: LanguageModelFor | undefined;
}

/** The searches of the role `api`: routed search, with the executor for complex questions, and multi-hop search. */
export function assembleSearches(parts: SearchParts): {
  readonly search: RoutedSearch;
  readonly multiHop: MultiHopSearch;
} {
  const { config, logger, meter, models, retrieval, vault, routing, languageModel } = parts;
  const vocabulary = new VocabularyReader(models);
  const model =
    languageModel &&
    new ModelPlanner({
      vocabulary,
      modelFor: languageModel,
      onFailure: (error) => {
        // The opening of the breaker was already logged.
        if (!(error instanceof BreakerOpen))
          logger.warn({ err: error }, 'the rules planned a question instead of the language model');
      },
    });
  const cache = new RefinementCache();
  parts.surfaces.add(cache.surface, vocabulary.surface);
  const reasoner = new Reasoner({
    clock: systemClock,
    modelFor: languageModel,
    cache,
    onReasoned: reasoningMetrics(meter),
  });
  const executor = new Executor({
    plan: questionPlanner({ vocabulary, clock: systemClock, model }),
    mentions: (...asked) => mentionedBy(vocabulary, ...asked),
    ...(config.reasoning && { reasoner }),
    policy: rulePolicy,
    clock: systemClock,
    searchesAtOnce: searchesAtOnce(models.sql),
    search: (caller, request, options) =>
      inPartialSpan({ name: 'search for a part' }, () => retrieval.find(caller, request, options)),
    places: (caller, request, view) => findChildPlaces(models.sql, view, caller, request),
  });
  const search = new RoutedSearch({
    search: retrieval,
    executor,
    directory: routing,
    policies: parts.policies,
    posters: new OutcomePosters(models, vault),
    vault,
    clock: systemClock,
    onFailure: (error, searchId) =>
      logger.warn(
        { err: error, searchId },
        'a complex question was answered by the standard search, or in part',
      ),
    onReasoningFailure: ({ error, ...failure }, searchId) => {
      if (!(error instanceof BreakerOpen))
        logger.warn(
          { err: error, searchId, ...failure },
          'what a complex question is searched for could not be refined',
        );
    },
    onRouted: routingMetrics(meter),
    onExecuted: executionMetrics(meter),
  });
  const multiHop = new MultiHopSearch({
    models,
    search: retrieval,
    mentions: (...asked) => findMentions(vocabulary, ...asked),
    vault,
    clock: systemClock,
    onFailure: (error, searchId) =>
      logger.warn({ err: error, searchId }, 'a search over several hops ended early'),
  });
  return { search, multiHop };
}

/** With one connection, a second search can use the database while the first one is ranked. */
function searchesAtOnce({ connections }: Sql): number {
  return connections > 1 ? 4 : 2;
}
