import type { TenantContext } from '../../domain/access/context.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ReasoningOutcome, ReasoningTrace } from '../../domain/reasoning/trace.ts';
import { lackOfPlan } from '../../domain/retrieval/planning.ts';
import type { Interruption, Lack, Trajectory, TrajectoryOutcome } from '../../domain/retrieval/trajectory.ts';
import type { Plan } from '../../domain/routing/plan.ts';
import type { RoutingSettings } from '../../domain/routing/settings.ts';
import type { ModelCall } from '../observed-language-model.ts';
import type { ReadView } from '../read-models.ts';
import type { ReasoningFailure } from '../reasoning/reasoner.ts';
import type { SearchRequest } from '../search/query.ts';
import type { Finding } from '../search/search.ts';
import { Budget, BudgetExhausted } from './budget.ts';
import type { ExecutorDependencies } from './executor-dependencies.ts';
import { DecompositionRun } from './decomposition-run.ts';
import { TrajectoryRecorder, type Planned } from './trajectory-recorder.ts';

/** A trajectory before it is known whose search it belongs to and what was shown. */
export type Run = Omit<Trajectory, 'searchId' | 'shown' | 'difference'>;

export interface Execution {
  readonly run: Run;
  /** Undefined where it has none: the standard search is to answer. */
  readonly finding: Finding | undefined;
  /** What was asked of a language model for it. */
  readonly calls: readonly ModelCall[];
  readonly error?: unknown;
  /** Of the reasoning, which the run goes on without. */
  readonly failures: readonly ReasoningFailure[];
}

/** Takes complex questions apart: a loop of actions that a policy chooses, within budgets. */
export class Executor {
  readonly #parts: ExecutorDependencies;

  constructor(parts: ExecutorDependencies) {
    this.#parts = parts;
  }

  get policyVersion(): string {
    return this.#parts.policy.version;
  }

  /** Never rejects: a failure is an outcome. What is not over when the time is up is waited for no longer. */
  async run(
    caller: TenantContext,
    request: SearchRequest,
    view: ReadView,
    { budgets, threshold, languageModel: mayAskModel, reasoning }: RoutingSettings,
  ): Promise<Execution> {
    const { plan, policy, clock, reasoner } = this.#parts;
    const budget = new Budget(budgets);
    const recorder = new TrajectoryRecorder(clock, budget);
    const reflection = reasoning.enabled
      ? reasoner?.begin(caller, reasoning, { budget, recorder, mayAskModel })
      : undefined;
    const decomposition = new DecompositionRun({
      ...this.#parts,
      caller,
      request,
      view,
      threshold,
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
        plan(request.query, caller, { depth: 0, budget, recorder, mayAskModel, demand: request }),
      );
      await decomposition.answer(planned);
    } catch (cause) {
      if (cause instanceof BudgetExhausted) interruption = cause.budget;
      else {
        interruption = 'error';
        error = cause;
      }
    }
    const traces = reflection?.traces ?? [];
    interruption ??= lackOfModels(recorder.planning, traces);
    const { finding, citations, warnings, maxDepth } = decomposition.result(planned.aggregation);
    const usable = interruption === 'error' || (interruption && !decomposition.found) ? undefined : finding;
    const outcome: TrajectoryOutcome = !usable ? 'failed' : interruption ? 'partial' : 'complete';
    return {
      finding:
        usable && interruption
          ? { ...usable, warnings: [...usable.warnings, warningOf(interruption)] }
          : usable,
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

  /** The record of a run that was not begun. */
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

/** What a caller is told of an answer that is not all it was meant to be: nothing of how it was looked for. */
export function warningOf(interruption: Interruption): Finding['warnings'][number] {
  return timeOuts.has(interruption)
    ? { code: 'timed-out', detail: 'the search was ended when its time was up: there may be better results' }
    : { code: 'partial', detail: 'the search could not be completed: there may be better results' };
}

/**
 * What the answer lacks of what was meant, where a model was to be asked and did not answer: all was searched, and less well.
 * That it was late comes first.
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
