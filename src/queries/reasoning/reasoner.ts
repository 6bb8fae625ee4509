import type { TenantContext } from '../../domain/access/context.ts';
import {
  refinementInput,
  refinementInstructions,
  refinementSchema,
  refined,
  type Refinement,
} from '../../domain/reasoning/refinement.ts';
import { textsFor, type Reasoning } from '../../domain/reasoning/reasoning.ts';
import { reasonByRules } from '../../domain/reasoning/rules.ts';
import type { ReasoningSettings, Strategy } from '../../domain/reasoning/settings.ts';
import type {
  ReasoningOutcome,
  ReasoningSource,
  ReasoningTrace,
  ReasoningWords,
} from '../../domain/reasoning/trace.ts';
import type { Plan } from '../../domain/routing/plan.ts';
import { estimateTokens } from '../../domain/text/estimate-tokens.ts';
import type { Clock } from '../../ports/clock.ts';
import { LanguageModelFailed, type LanguageModelFor, type ModelUsage } from '../../ports/language-model.ts';
import { observed } from '../observed-language-model.ts';
import { withTimeLimit } from '../../support/resilience/time-limit.ts';
import { BreakerOpen } from '../model-guard.ts';
import { minCallMs, type Budget } from '../routing/budget.ts';
import type { TrajectoryRecorder } from '../routing/trajectory-recorder.ts';
import type { RefinementCache } from './refinement-cache.ts';
import { requestSignal } from '../../support/request-scope.ts';

/** Maximum number of tokens of an answer, enough for ten searches of 30 words and a sentence. */
const maxOutputTokens = 1_500;

export interface ReasonerDependencies {
  readonly clock: Clock;
  /** If undefined, the rules decide. */
  readonly modelFor?: LanguageModelFor | undefined;
  readonly cache: RefinementCache;
  /** Called after the reasoning about each question. */
  readonly onReasoned?: (trace: ReasoningTrace) => void;
}

/** The run that the reasoning belongs to. */
export interface ReasoningRun {
  readonly budget: Budget;
  readonly recorder: TrajectoryRecorder;
  /** The tenant allows calls of a language model. */
  readonly mayAskModel: boolean;
  /** The strategy that experience has chosen for this search. */
  readonly experienced?: Strategy | undefined;
}

/** Position of a question in its run. */
export interface QuestionPlace {
  readonly depth: number;
  /** The step that decomposes it; undefined for the whole question. */
  readonly step: number | undefined;
}

interface Answer {
  readonly source: ReasoningSource;
  readonly outcome: ReasoningOutcome;
  readonly refinement?: Refinement;
  readonly failure?: string;
  readonly model?: string;
  readonly usage?: ModelUsage | undefined;
}

/** A failed reasoning: the error and where it occurred, without content. */
export interface ReasoningFailure {
  readonly error: unknown;
  readonly outcome: ReasoningOutcome;
  readonly depth: number;
  readonly durationMs: number;
}

/** Decides how to search for a complex question, before the searches run. */
export class Reasoner {
  readonly #dependencies: ReasonerDependencies;

  constructor(dependencies: ReasonerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Starts the reasoning of one run, which covers its question and the parts that are decomposed themselves. */
  begin(caller: TenantContext, settings: ReasoningSettings, run: ReasoningRun): Reflection {
    return new Reflection(this.#dependencies, caller, settings, run);
  }
}

/** The reasoning of one run. All its questions share one time limit; when it is reached, the rules decide about the remaining ones. */
export class Reflection {
  readonly #dependencies: ReasonerDependencies;
  readonly #caller: TenantContext;
  readonly #settings: ReasoningSettings;
  readonly #run: ReasoningRun;
  readonly #traces: ReasoningTrace[] = [];
  readonly #words: ReasoningWords[] = [];
  readonly #failures: ReasoningFailure[] = [];
  #leftMs: number;

  constructor(
    dependencies: ReasonerDependencies,
    caller: TenantContext,
    settings: ReasoningSettings,
    run: ReasoningRun,
  ) {
    this.#dependencies = dependencies;
    this.#caller = caller;
    this.#settings = settings;
    this.#run = run;
    this.#leftMs = settings.timeoutMs;
  }

  /** The trace of each question, in order. */
  get traces(): readonly ReasoningTrace[] {
    return this.#traces;
  }

  get words(): readonly ReasoningWords[] {
    return this.#words;
  }

  get failures(): readonly ReasoningFailure[] {
    return this.#failures;
  }

  /** How to search for the parts of `plan`. Never rejects: if there is no refinement, the rules decide. */
  async about(question: string, plan: Plan, { depth, step }: QuestionPlace): Promise<Reasoning> {
    const at = this.#dependencies.clock.now().toISOString();
    const started = performance.now();
    const rules = reasonByRules(plan, this.#settings, this.#run.experienced);
    const { refinement, usage, ...answer } = await this.#ask(question, plan, depth);
    const reasoning = refinement ? refined(rules, refinement) : rules;
    const durationMs = performance.now() - started;
    if (answer.source === 'model') this.#leftMs -= durationMs;
    const { strategy, reason, layers } = reasoning;
    const trace: ReasoningTrace = {
      ...(step !== undefined && { step }),
      depth,
      strategy,
      reason,
      ...(layers && { layers: [...layers] }),
      ...answer,
      ...(usage && { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens }),
      at,
      durationMs: Math.round(durationMs * 100) / 100,
    };
    this.#traces.push(trace);
    this.#words.push({ ...(refinement && { why: refinement.why }), searches: searchesOf(plan, reasoning) });
    this.#dependencies.onReasoned?.(trace);
    return reasoning;
  }

  async #ask(question: string, plan: Plan, depth: number): Promise<Answer> {
    const { modelFor, cache } = this.#dependencies;
    const { budget, recorder, mayAskModel } = this.#run;
    if (!modelFor || !mayAskModel) return { source: 'rules', outcome: 'complete' };
    const caller = this.#caller;
    const role = depth === 0 ? 'root' : 'sub';
    const asked = observed(modelFor(caller.tenant), (call) => {
      recorder.called(call);
      budget.spendOnModel(call.usage.inputTokens + call.usage.outputTokens);
    });
    const model = asked.models[role];
    const subject = { caller, question, plan, model };
    const cached = cache.get(subject, this.#settings);
    if (cached) return { source: 'cache', outcome: 'complete', refinement: cached, model };
    const input = refinementInput(question, plan);
    // A run without tokens left for models counts as complete without them.
    const tokensForThoughts = budget.modelTokensLeft - tokensOf(input);
    if (tokensForThoughts < 0) return { source: 'rules', outcome: 'complete' };
    const ms = Math.min(this.#leftMs, budget.modelMsLeft);
    // Some time can be left after a timeout, because timers may fire slightly early.
    if (ms < minCallMs) return { source: 'rules', outcome: 'timed-out' };
    const started = performance.now();
    try {
      const { value: refinement, usage } = await withTimeLimit(ms, requestSignal(), (signal) =>
        asked.complete({
          role,
          purpose: 'expansion',
          instructions: refinementInstructions,
          input,
          schema: refinementSchema(plan),
          maxOutputTokens,
          thoughtTokens: Math.min(asked.thoughtTokens, Math.floor(tokensForThoughts)),
          signal,
        }),
      );
      cache.set(subject, refinement, this.#settings);
      return { source: 'model', outcome: 'complete', refinement, model, usage };
    } catch (error) {
      const outcome = outcomeOf(error);
      this.#failures.push({ error, outcome, depth, durationMs: performance.now() - started });
      const known = error instanceof LanguageModelFailed ? error : undefined;
      return {
        source: 'model',
        outcome,
        ...(known && { failure: known.failure }),
        model,
        usage: known?.usage,
      };
    }
  }
}

function outcomeOf(error: unknown): ReasoningOutcome {
  if (error instanceof BreakerOpen) return 'breaker-open';
  return error instanceof LanguageModelFailed && error.failure === 'timed-out' ? 'timed-out' : 'failed';
}

/** Estimated tokens of a call that succeeds at the first attempt. */
function tokensOf(input: Readonly<Record<string, unknown>>): number {
  return estimateTokens(refinementInstructions.length + JSON.stringify(input).length) + maxOutputTokens;
}

function searchesOf({ operands }: Plan, reasoning: Reasoning): ReasoningWords['searches'] {
  return operands.map(({ query }, index) => {
    const { dense, lexical } = textsFor(reasoning, query, reasoning.texts[index]) ?? {
      dense: query,
      lexical: query,
    };
    return { query, dense: dense ?? query, ...(lexical !== undefined && { lexical }) };
  });
}
