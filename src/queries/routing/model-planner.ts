import type { TenantContext } from '../../domain/access/context.ts';
import type { PlanningReason } from '../../domain/retrieval/planning.ts';
import type { Plan } from '../../domain/routing/plan.ts';
import { proposalInput, proposalInstructions, proposalSchema } from '../../domain/routing/proposal.ts';
import { proposedPlan, wantedByProposal } from '../../domain/routing/proposed-plan.ts';
import type { Vocabulary } from '../../domain/routing/vocabulary.ts';
import { estimateTokens } from '../../domain/text/estimate-tokens.ts';
import { wallClock } from '../../domain/wall-clock.ts';
import {
  LanguageModelFailed,
  type CompletionRequest,
  type LanguageModel,
  type LanguageModelFor,
} from '../../ports/language-model.ts';
import { observed } from '../observed-language-model.ts';
import { withTimeLimit } from '../../support/resilience/time-limit.ts';
import { BreakerOpen } from '../model-guard.ts';
import { minCallMs } from './budget.ts';
import type { PlanningRun } from './executor-dependencies.ts';
import type { VocabularyReader } from './vocabulary.ts';
import { requestSignal } from '../../support/request-scope.ts';

const maxCallMs = 30_000;
const maxOutputTokens = 1_000;

export interface ModelPlannerDependencies {
  readonly vocabulary: Pick<VocabularyReader, 'read'>;
  readonly modelFor: LanguageModelFor;
  readonly onFailure: (error: LanguageModelFailed) => void;
}

export interface PlanningRequest {
  readonly question: string;
  /** The part of the tenant's vocabulary that the question may mean, as far as the caller may see it. */
  readonly known: Vocabulary;
  readonly now: Date;
  readonly caller: TenantContext;
  readonly run: PlanningRun;
}

export interface PlanningAttempt {
  /** Undefined if the model proposed none; then the rules make the plan. */
  readonly plan?: Plan;
  /** Why there is no plan. */
  readonly reason?: PlanningReason;
  /** Name of the model. */
  readonly model: string;
  readonly tokens: number;
}

/** Gets plans from language models, one for whole questions and another for their parts, within the budget of the run. */
export class ModelPlanner {
  readonly #dependencies: ModelPlannerDependencies;

  constructor(dependencies: ModelPlannerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Rejects if the vocabulary cannot be read. A failure of the model is an outcome. */
  async propose({ question, known, now, caller, run }: PlanningRequest): Promise<PlanningAttempt> {
    const { vocabulary, modelFor, onFailure } = this.#dependencies;
    const { depth, budget, recorder, mayAskModel, utcOffset = 0 } = run;
    const role = depth === 0 ? 'root' : 'sub';
    let tokens = 0;
    const model = observed(modelFor(caller.tenant), (call) => {
      recorder.called(call);
      tokens += call.usage.inputTokens + call.usage.outputTokens;
    });
    const outcome = (one: Pick<PlanningAttempt, 'plan' | 'reason'>) => ({
      ...one,
      model: model.models[role],
      tokens,
    });
    if (!mayAskModel) return outcome({ reason: 'disabled' });
    const input = proposalInput(question, known, wallClock(now, utcOffset));
    const tokensForThoughts = budget.modelTokensLeft - tokensOf(input);
    if (tokensForThoughts < 0) return outcome({ reason: 'no-tokens' });
    const ms = Math.min(maxCallMs, budget.modelMsLeft);
    if (ms < minCallMs) return outcome({ reason: 'no-time' });
    try {
      const proposal = await ask(model, ms, {
        role,
        purpose: 'plan',
        instructions: proposalInstructions,
        input,
        schema: proposalSchema,
        maxOutputTokens,
        thoughtTokens: Math.min(model.thoughtTokens, Math.floor(tokensForThoughts)),
      });
      const plan = proposedPlan(
        question,
        proposal,
        await vocabulary.read(caller, wantedByProposal(proposal), run.demand),
        utcOffset,
      );
      return outcome(plan ? { plan } : { reason: 'nothing-proposed' });
    } catch (error) {
      if (!(error instanceof LanguageModelFailed)) throw error;
      onFailure(error);
      return outcome({ reason: error instanceof BreakerOpen ? 'breaker-open' : error.failure });
    } finally {
      budget.spendOnModel(tokens);
    }
  }
}

async function ask<T>(
  model: LanguageModel,
  ms: number,
  request: Omit<CompletionRequest<T>, 'signal'>,
): Promise<T> {
  const { value } = await withTimeLimit(ms, requestSignal(), (signal) =>
    model.complete({ ...request, signal }),
  );
  return value;
}

/** Estimated tokens of a call that succeeds at the first attempt. */
function tokensOf(input: Readonly<Record<string, unknown>>): number {
  return estimateTokens(proposalInstructions.length + JSON.stringify(input).length) + maxOutputTokens;
}
