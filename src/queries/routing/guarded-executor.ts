import type { TenantContext } from '../../domain/access/context.ts';
import type { Strategy } from '../../domain/reasoning/settings.ts';
import type { ModelCalled } from '../../domain/retrieval/model-call.ts';
import { isLack, type Trajectory } from '../../domain/retrieval/trajectory.ts';
import type { RoutingSettings } from '../../domain/routing/settings.ts';
import {
  CircuitBreaker,
  CircuitBreakers,
  ConsecutiveFailures,
} from '../../support/resilience/circuit-breaker.ts';
import { inPartialSpan } from '../../support/tracing.ts';
import { isOutdated, maxViews } from '../current-view.ts';
import type { ModelCall } from '../observed-language-model.ts';
import type { ReasoningFailure } from '../reasoning/reasoner.ts';
import type { SearchFact } from '../search/answer.ts';
import type { SearchRequest } from '../search/query.ts';
import type { SearchService } from '../search/search.ts';
import type { Execution, Executor, Run } from './executor.ts';

export interface GuardedExecutorDependencies {
  readonly search: Pick<SearchService, 'view'>;
  readonly executor: Executor;
  /** Called after every run. */
  readonly onExecuted: (run: Run) => void;
  readonly onFailure: (error: unknown, searchId: string) => void;
  readonly onReasoningFailure: (failure: ReasoningFailure, searchId: string) => void;
}

/** A complex question. */
export interface ComplexSearch {
  readonly searchId: string;
  readonly caller: TenantContext;
  readonly request: SearchRequest;
  /** The strategy that experience has chosen for this search. */
  readonly strategy: Strategy | undefined;
}

/** Runs the executor with a current view, unless too many runs of the tenant have failed. */
export class GuardedExecutor {
  readonly #dependencies: GuardedExecutorDependencies;
  /** A breaker for each tenant. */
  readonly #breakers = new CircuitBreakers(
    () => new CircuitBreaker({ rule: new ConsecutiveFailures(5), openMs: 30_000 }),
  );

  constructor(dependencies: GuardedExecutorDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Decomposes the question unless the tenant's breaker is open. For the breaker, a run whose time ran out with partial results is
   * neither a success nor a failure. A run without the help of a failed language model is a success, because the model has its own
   * breaker.
   */
  async run(search: ComplexSearch, settings: RoutingSettings): Promise<Execution> {
    const { executor, onExecuted, onFailure, onReasoningFailure } = this.#dependencies;
    const { caller, request, searchId } = search;
    const permit = this.#breakers.of(caller.tenant).enter();
    if (!permit)
      return {
        run: executor.refused(request),
        finding: undefined,
        isDivided: false,
        calls: [],
        failures: [],
      };
    const execution = await inPartialSpan({ name: 'decompose a question' }, async (span) => {
      const ran = await this.#runInView(search, settings);
      const { outcome, maxDepth, queries, tokens } = ran.run;
      span?.setAttributes({
        'stratalog.rlm.outcome': outcome,
        'stratalog.rlm.depth': maxDepth,
        'stratalog.rlm.searches': queries,
        'stratalog.rlm.tokens': tokens,
      });
      return ran;
    });
    onExecuted(execution.run);
    const { outcome, interruption } = execution.run;
    if (outcome === 'failed') permit.failed();
    else if (outcome === 'complete' || isLack(interruption)) permit.succeeded();
    for (const failure of execution.failures) onReasoningFailure(failure, searchId);
    if (outcome === 'failed' || interruption === 'wall-time')
      onFailure(execution.error ?? new Error(`the run ended by ${interruption}`), searchId);
    return execution;
  }

  /** Repeats the run with a new view if its view is outdated. The calls of language models in all attempts are reported. */
  async #runInView(
    { caller, request, strategy }: ComplexSearch,
    settings: RoutingSettings,
  ): Promise<Execution> {
    const { executor, search } = this.#dependencies;
    const calls: ModelCall[] = [];
    for (let views = 1; ; views++) {
      // Taken before the budget's time starts, because a caller may wait long for a position.
      const view = await search.view(request, { withFields: true });
      const execution = await executor.run(caller, request, view, settings, strategy);
      calls.push(...execution.calls);
      if (views === maxViews || !isOutdated(execution.error)) return { ...execution, calls };
    }
  }
}

/** The events of a run: its trajectory, and the calls of language models. */
export function eventsOf(
  searchId: string,
  { run, calls }: Execution,
  seen: Pick<Trajectory, 'shown' | 'difference'>,
): SearchFact['events'] {
  return [
    { type: 'TrajectoryRecorded', data: { ...run, searchId, ...seen } },
    ...calls.flatMap((call) => modelCalled(call, searchId)),
  ];
}

/** The event of a call; none if no request was sent. */
function modelCalled(call: ModelCall, searchId: string): ModelCalled[] {
  const { role, purpose, outcome, usage, durationMs } = call;
  if (usage.requests === 0) return [];
  const data = {
    searchId,
    purpose,
    role,
    outcome,
    ...usage,
    durationMs: Math.round(durationMs * 100) / 100,
  };
  return [{ type: 'LanguageModelCalled', data }];
}
