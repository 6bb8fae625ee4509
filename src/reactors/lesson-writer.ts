import type { CommandContext } from '../commands/context.ts';
import type { Fallback } from '../domain/grounding/fallback.ts';
import type { Findings } from '../domain/experience/lessons.ts';
import { composeLesson, type WrittenLesson } from '../domain/experience/written/compose.ts';
import {
  lessonAnswer,
  lessonInput,
  lessonInstructions,
  mostOutputTokens,
  mostTokens,
  shownAttempts,
} from '../domain/experience/written/prompt.ts';
import type { Layer } from '../domain/layers.ts';
import type { ModelUsage } from '../ports/language-model.ts';
import type { Tokenizer } from '../ports/tokenizer.ts';
import { ask, modelOf, refusedBy, thoughtTokensWithin, type WriterParts } from './writing-model.ts';

export interface LessonWriterParts extends WriterParts {
  readonly tokenizer: Tokenizer;
  /** Whether a tenant lets language models see its questions. */
  readonly isAllowed: (tenant: string) => Promise<boolean>;
}

export interface LessonJob {
  readonly id: string;
  readonly layer: Layer;
  readonly findings: Findings;
  /** The space of the attempt, whose budget pays too. */
  readonly space?: string | undefined;
}

export type LessonWriting =
  (WrittenLesson & { readonly model: string }) | { readonly fallback: Fallback } | undefined;

/**
 * Has lessons written by a language model. A call is reserved in the ledger before it is made, by its cause, so that a process which is
 * killed in between does not pay for the same lesson again after its restart.
 */
export class LessonWriter {
  readonly #parts: LessonWriterParts;

  constructor(parts: LessonWriterParts) {
    this.#parts = parts;
  }

  /**
   * What the model writes about these findings; undefined if the tenant lets no model see its questions. Rejects with the reason of
   * `signal` once it is aborted.
   */
  async write(
    context: CommandContext,
    { id, layer, findings, space }: LessonJob,
    signal: AbortSignal,
  ): Promise<LessonWriting> {
    const { ledger, tokenizer, isAllowed } = this.#parts;
    const { tenant } = context.caller;
    if (!(await isAllowed(tenant))) return undefined;
    const labels = findings.attempts.map(({ space }) => (space === undefined ? [] : [space]));
    const model = modelOf(this.#parts, layer, await this.#parts.modelOfSpaces(tenant, labels));
    const { shown, tokens } = shownAttempts(findings, await tokenizer.counter());
    const spaces = space === undefined ? {} : { spaces: [space] };
    const call = { id, purpose: 'lesson' as const, model, ...spaces };
    const callsWith = (thoughts: number) => [{ ...call, ...mostTokens(tokens, thoughts) }];
    const thoughtTokens = await thoughtTokensWithin(this.#parts, tenant, callsWith);
    const [reservation] = await ledger.reserve(context, callsWith(thoughtTokens));
    const { outcome, day } = reservation!;
    const refused = refusedBy(outcome);
    if (refused) return { fallback: refused };
    let usage: ModelUsage | undefined;
    try {
      const answer = await ask(this.#parts, tenant, {
        role: 'root',
        model,
        purpose: 'lesson',
        instructions: lessonInstructions,
        input: lessonInput(shown),
        schema: lessonAnswer,
        maxOutputTokens: mostOutputTokens,
        thoughtTokens,
        signal,
      });
      ({ usage } = answer);
      signal.throwIfAborted();
      const written = answer.value ? composeLesson(shown, answer.value) : 'incomplete';
      if (written === 'unsupported') return { fallback: 'claims-unsupported' };
      return written === 'incomplete' ? { fallback: 'model-failed' } : { ...written, model };
    } finally {
      const { inputTokens = 0, outputTokens = 0, requests = 0 } = usage ?? {};
      await ledger.settle(context, [{ ...call, inputTokens, outputTokens, requests, day }]);
    }
  }
}
