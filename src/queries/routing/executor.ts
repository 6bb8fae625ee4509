import type { TenantContext } from '../../domain/access/context.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Strategy } from '../../domain/reasoning/settings.ts';
import type { ReasoningOutcome, ReasoningTrace } from '../../domain/reasoning/trace.ts';
import { lackOfPlan } from '../../domain/retrieval/planning.ts';
import type { Interruption, Lack, Trajectory, TrajectoryOutcome } from '../../domain/retrieval/trajectory.ts';
import { isDivided, type Plan } from '../../domain/routing/plan.ts';
import { defaultSettings, type RoutingSettings } from '../../domain/routing/settings.ts';
import type { ModelCall } from '../observed-language-model.ts';
import type { ReadView } from '../read-models.ts';
import type { ReasoningFailure } from '../reasoning/reasoner.ts';
import type { SearchRequest } from '../search/query.ts';
import type { Finding } from '../search/finding.ts';
import { Budget, BudgetExhausted } from './budget.ts';
import type { ExecutorDependencies } from './executor-dependencies.ts';
import { DecompositionRun } from './decomposition-run.ts';
import { TrajectoryRecorder, type Planned } from './trajectory-recorder.ts';

/** A trajectory without the fields about the search and its answer, which the caller adds. */
export type Run = Omit<Trajectory, 'searchId' | 'shown' | 'difference'>;

export interface Execution {
  readonly run: Run;
  /** Undefined if the run has no usable results; then the standard search answers. */
  readonly finding: Finding | undefined;
  /** Whether the plan divided the question (`isDivided`). */
  readonly isDivided: boolean;
  /** Calls of language models that the run made. */
  readonly calls: readonly ModelCall[];
  readonly error?: unknown;
  /** Failures of the reasoning. The run continues without it. */
  readonly failures: readonly ReasoningFailure[];
}

/** Answers complex questions in a loop of actions that a policy chooses, within budgets. */
export class Executor {
  readonly #parts: ExecutorDependencies;

  constructor(parts: ExecutorDependencies) {
    this.#parts = parts;
  }

  get policyVersion(): string {
    return this.#parts.policy.version;
  }

  /**
   * Never rejects: a failure is an outcome. Work that is unfinished when the time is up is ignored.
   *
   * @param experienced The strategy that experience has chosen for this search.
   */
  async run(
    caller: TenantContext,
    request: SearchRequest,
    view: ReadView,
    { budgets, threshold, languageModel: mayAskModel, reasoning }: RoutingSettings,
    experienced?: Strategy,
  ): Promise<Execution> {
    const { plan, policy, clock, reasoner } = this.#parts;
    const budget = new Budget(budgets);
    const recorder = new TrajectoryRecorder(clock, budget);
    const reflection = reasoning.enabled
      ? reasoner?.begin(caller, reasoning, { budget, recorder, mayAskModel, experienced })
      : undefined;
    const decomposition = new DecompositionRun({
      ...this.#parts,
      caller,
      request,
      view,
      // A tenant with a low threshold has simple questions decomposed too. The parts of a question are only decomposed if complex.
      threshold: Math.max(threshold, defaultSettings.threshold),
      mayAskModel,
      budget,
      recorder,
      reflection,
    });
    let planned: Plan = { aggregation: 'combine', operands: [] };
    let interruption: Interruption | undefined;
    let error: unknown;
    try {
      planned = await budget.within(
        plan(request.query, caller, {
          depth: 0,
          budget,
          recorder,
          mayAskModel,
          now: request.now,
          utcOffset: request.utcOffset,
          demand: request,
        }),
      );
      await decomposition.run(planned);
    } catch (cause) {
      if (cause instanceof BudgetExhausted) interruption = cause.budget;
      else {
        interruption = 'error';
        error = cause;
      }
    }
    const traces = reflection?.traces ?? [];
    interruption ??= lackOfModels(recorder.planning, traces);
    const { answer } = decomposition;
    const { finding, citations, warnings, maxDepth } = answer.result(planned.aggregation, view);
    const usable = interruption === 'error' || (interruption && answer.searches === 0) ? undefined : finding;
    const outcome: TrajectoryOutcome = !usable ? 'failed' : interruption ? 'partial' : 'complete';
    return {
      finding:
        usable && interruption
          ? { ...usable, warnings: [...usable.warnings, warningOf(interruption)] }
          : usable,
      isDivided: isDivided(planned),
      calls: recorder.calls,
      ...(error !== undefined && { error }),
      failures: reflection?.failures ?? [],
      run: {
        outcome,
        ...(interruption && { interruption }),
        policyVersion: policy.version,
        strategy: planned.aggregation,
        planning: recorder.planning,
        ...recorder.taken,
        maxDepth,
        resultCount: usable?.best.length ?? 0,
        warnings: [...warnings],
        reasoning: [...traces],
        citations: usable ? citations : [],
        query: request.query,
        plan: JSON.parse(JSON.stringify(planned)) as JsonObject,
        expansions: [...(reflection?.words ?? [])],
      },
    };
  }

  /** The record of a run that was refused because the breaker is open. */
  refused(request: SearchRequest): Run {
    const now = this.#parts.clock.now().toISOString();
    return {
      outcome: 'refused',
      interruption: 'breaker-open',
      policyVersion: this.policyVersion,
      strategy: 'combine',
      planning: [],
      startedAt: now,
      endedAt: now,
      durationMs: 0,
      tokens: 0,
      queries: 0,
      maxDepth: 0,
      resultCount: 0,
      warnings: [],
      reasoning: [],
      steps: [],
      citations: [],
      query: request.query,
      plan: {},
      arguments: [],
    };
  }
}

const timeOuts: ReadonlySet<Interruption> = new Set([
  'wall-time',
  'planning-timed-out',
  'reasoning-timed-out',
]);

/** The warning for an incomplete answer. It reveals nothing about the route. */
export function warningOf(interruption: Interruption): Finding['warnings'][number] {
  return timeOuts.has(interruption)
    ? { code: 'timed-out', detail: 'the search was ended when its time was up: there may be better results' }
    : { code: 'partial', detail: 'the search could not be completed: there may be better results' };
}

/**
 * How the answer is degraded because a language model failed to plan or reason: all searches ran, but possibly worse ones. A
 * timeout has priority over other failures.
 */
function lackOfModels(planning: readonly Planned[], reasoning: readonly ReasoningTrace[]): Lack | undefined {
  const lacks = [
    ...planning.map(({ reason }) => lackOfPlan(reason)),
    ...reasoning.map(({ outcome }) => lackOfReasoning(outcome)),
  ].filter((lack) => lack !== undefined);
  return lacks.find((lack) => timeOuts.has(lack)) ?? lacks[0];
}

function lackOfReasoning(outcome: ReasoningOutcome): Lack | undefined {
  if (outcome === 'complete') return undefined;
  return outcome === 'timed-out' ? 'reasoning-timed-out' : 'reasoning-failed';
}
