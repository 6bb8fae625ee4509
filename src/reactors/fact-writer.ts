import { checkedFacts, type CheckedFacts } from '../domain/conversations/facts/checked-facts.ts';
import type { DrawFailure } from '../domain/conversations/events.ts';
import {
  factAnswer,
  factInput,
  factInstructions,
  mostOutputTokens,
  mostTokens,
  windowsOf,
  type FactAnswer,
  type SaidTurn,
  type TurnWindow,
} from '../domain/conversations/facts/prompt.ts';
import type { Layer } from '../domain/layers.ts';
import { Problem } from '../domain/problems.ts';
import type { CommandContext } from '../commands/context.ts';
import { LanguageModelFailed, type ModelUsage } from '../ports/language-model.ts';
import type { Tokenizer } from '../ports/tokenizer.ts';
import { modelOf, thoughtTokensWithin, type WriterParts } from './writing-model.ts';

export interface FactWriterParts extends WriterParts {
  readonly tokenizer: Tokenizer;
  /** Creates an id. */
  readonly newId: () => string;
}

export interface FactJob {
  readonly layer: Layer;
  readonly turns: readonly SaidTurn[];
  /** The labels of each turn: the space that all are of may name a model, and pays. */
  readonly labels: readonly (readonly string[])[];
  /** Instead of the model of the space or the layer. */
  readonly model?: string | undefined;
}

export type FactWriting = { readonly model: string } & (
  CheckedFacts | { readonly failure: Extract<DrawFailure, 'refused' | 'invalid-answer'> }
);

/**
 * Has a language model find the facts in a conversation, and checks its answers. Each call is reserved in the ledger before it is made.
 * Rejects if the budget has no room or the endpoint does not answer: then the conversation waits, and is tried again.
 */
export class FactWriter {
  readonly #parts: FactWriterParts;

  constructor(parts: FactWriterParts) {
    this.#parts = parts;
  }

  /** The model for a conversation with these labels. */
  async modelFor(
    tenant: string,
    { layer, labels, model }: Pick<FactJob, 'layer' | 'labels' | 'model'>,
  ): Promise<string> {
    return model ?? modelOf(this.#parts, layer, await this.#parts.modelOfSpaces(tenant, labels));
  }

  async write(context: CommandContext, job: FactJob, signal: AbortSignal): Promise<FactWriting> {
    const model = await this.modelFor(context.caller.tenant, job);
    const spaces = [...new Set(job.labels.flat())];
    const found = new Map<string, CheckedFacts['facts'][number]>();
    const dropped = { unsupported: 0, junk: 0 };
    for (const window of windowsOf(job.turns, await this.#parts.tokenizer.counter())) {
      const answer = await this.#ask(context, window, { model, spaces }, signal);
      if (typeof answer === 'string') return { model, failure: answer };
      const checked = checkedFacts(answer, window);
      for (const fact of checked.facts) if (!found.has(fact.text)) found.set(fact.text, fact);
      dropped.unsupported += checked.dropped.unsupported;
      dropped.junk += checked.dropped.junk;
    }
    return { model, facts: [...found.values()], dropped };
  }

  async #ask(
    context: CommandContext,
    window: TurnWindow,
    { model, spaces }: { readonly model: string; readonly spaces: readonly string[] },
    signal: AbortSignal,
  ): Promise<FactAnswer | 'refused' | 'invalid-answer'> {
    const { ledger, languageModel, timeoutMs, newId, onFailure } = this.#parts;
    const { tenant } = context.caller;
    // A call that is repeated after a failure is another one, and is paid for.
    const call = {
      id: newId(),
      purpose: 'facts' as const,
      model,
      ...(spaces.length > 0 && { spaces: [...spaces] }),
    };
    const callsWith = (thoughts: number) => [{ ...call, ...mostTokens(window.tokens, thoughts) }];
    const thoughtTokens = await thoughtTokensWithin(this.#parts, tenant, callsWith);
    const [reservation] = await ledger.reserve(context, callsWith(thoughtTokens));
    const { outcome, day } = reservation!;
    if (outcome !== 'reserved')
      throw new Problem(
        'budget-exhausted',
        'the budget has no room to draw facts from a conversation: it waits',
      );
    let usage: ModelUsage | undefined;
    try {
      const answer = await languageModel(tenant).complete({
        role: 'root',
        model,
        purpose: 'facts',
        instructions: factInstructions,
        input: factInput(window),
        schema: factAnswer,
        maxOutputTokens: mostOutputTokens,
        thoughtTokens,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      ({ usage } = answer);
      signal.throwIfAborted();
      return answer.value;
    } catch (error) {
      if (!(error instanceof LanguageModelFailed)) throw error;
      usage = error.usage;
      onFailure?.(error);
      // What the model has answered costs something, and it would answer the same again.
      if (error.failure === 'refused' || error.failure === 'invalid-answer') return error.failure;
      throw error;
    } finally {
      const { inputTokens = 0, outputTokens = 0, requests = 0 } = usage ?? {};
      await ledger.settle(context, [{ ...call, inputTokens, outputTokens, requests, day }]);
    }
  }
}
