import { inTenant, type CommandContext } from '../commands/context.ts';
import {
  choiceAnswer,
  choiceInput,
  choiceInstructions,
  chosenSpaces,
  mostOutputTokens,
  mostTokens,
  type ModelChoice,
  type OfferedSpace,
  type SpaceChoiceByModel,
} from '../domain/content-routing/model-choice.ts';
import type { RoutedContent } from '../domain/content-routing/rules.ts';
import type { ModelUsage } from '../ports/language-model.ts';
import type { Tokenizer } from '../ports/tokenizer.ts';
import { ask, refusedBy, thoughtTokensWithin, type WriterParts } from './writing-model.ts';

export interface SpaceChooserParts extends WriterParts {
  readonly tokenizer: Tokenizer;
  /** Context of what the program does by itself. */
  readonly context: CommandContext;
  /** Whether a tenant lets language models see its texts. */
  readonly isAllowed: (tenant: string) => Promise<boolean>;
}

/**
 * Has a language model choose the spaces of a document. A call is reserved in the ledger before it is made; a document whose call is
 * already paid for, or whose budget is used up, has no choice.
 */
export class SpaceChooser implements SpaceChoiceByModel {
  readonly #parts: SpaceChooserParts;

  constructor(parts: SpaceChooserParts) {
    this.#parts = parts;
  }

  /** Undefined if the model may not be asked or does not answer. Rejects with the reason of `signal` once it is aborted. */
  async choose(
    tenant: string,
    id: string,
    content: RoutedContent,
    offered: readonly OfferedSpace[],
    signal: AbortSignal,
  ): Promise<ModelChoice | undefined> {
    const { ledger, tokenizer, models, isAllowed } = this.#parts;
    if (offered.length === 0 || !(await isAllowed(tenant))) return undefined;
    const context = inTenant(this.#parts.context, tenant);
    const model =
      (await this.#parts.modelOfSpaces(tenant, [offered.map((space) => space.id)])) ?? models.cheap;
    const input = choiceInput(offered, content);
    const tokens = (await tokenizer.counter())(JSON.stringify(input));
    const call = { id: `routing:${id}`, purpose: 'routing' as const, model };
    const callsWith = (thoughts: number) => [{ ...call, ...mostTokens(tokens, thoughts) }];
    const thoughtTokens = await thoughtTokensWithin(this.#parts, tenant, callsWith);
    const [reservation] = await ledger.reserve(context, callsWith(thoughtTokens));
    const { outcome, day } = reservation!;
    if (refusedBy(outcome)) return undefined;
    let usage: ModelUsage | undefined;
    try {
      const answer = await ask(this.#parts, tenant, {
        role: 'root',
        model,
        purpose: 'routing',
        instructions: choiceInstructions,
        input,
        schema: choiceAnswer,
        maxOutputTokens: mostOutputTokens,
        thoughtTokens,
        signal,
      });
      ({ usage } = answer);
      signal.throwIfAborted();
      return answer.value && { spaces: chosenSpaces(offered, answer.value), model };
    } finally {
      const { inputTokens = 0, outputTokens = 0, requests = 0 } = usage ?? {};
      await ledger.settle(context, [{ ...call, inputTokens, outputTokens, requests, day }]);
    }
  }
}
