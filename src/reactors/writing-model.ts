import type { Ledger, PlannedCall, Reservation } from '../commands/ledger/ledger.ts';
import type { Fallback } from '../domain/grounding/fallback.ts';
import type { Layer } from '../domain/layers.ts';
import {
  LanguageModelFailed,
  type CompletionRequest,
  type LanguageModelFor,
  type ModelUsage,
} from '../ports/language-model.ts';

/** What a language model needs to write texts whose costs are in the ledger. */
export interface WriterParts {
  readonly ledger: Ledger;
  readonly languageModel: LanguageModelFor;
  readonly models: {
    readonly usual: string;
    /** The model for the layers company and org. */
    readonly cheap: string;
  };
  /** The model of what is made of memories or attempts with these labels, if they are all of one space that names one of the server. */
  readonly modelOfSpaces: (
    tenant: string,
    labelsOfEach: readonly (readonly string[])[],
  ) => Promise<string | undefined>;
  readonly timeoutMs: number;
  readonly onFailure?: (error: unknown) => void;
}

/** The model of a layer; `configured` is the name in its settings, or that of a space. */
export function modelOf({ models }: WriterParts, layer: Layer, configured?: string): string {
  return configured ?? (layer === 'company' || layer === 'org' ? models.cheap : models.usual);
}

/**
 * The tokens that a call may use to think: all that the model may need or none, if the budget has no room for them beside the call.
 * `callsWith` returns the calls to reserve: at least one, and all to the same model.
 */
export async function thoughtTokensWithin(
  { ledger, languageModel }: WriterParts,
  tenant: string,
  callsWith: (thoughtTokens: number) => readonly PlannedCall[],
): Promise<number> {
  const { thoughtTokens } = languageModel(tenant);
  const calls = callsWith(thoughtTokens);
  const sum = (count: 'inputTokens' | 'outputTokens') => calls.reduce((all, call) => all + call[count], 0);
  const together = { ...calls[0]!, inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') };
  return thoughtTokens > 0 && (await ledger.hasRoom(tenant, together)) ? thoughtTokens : 0;
}

/** Why a call whose reservation has this outcome is not made; undefined if it may be. */
export function refusedBy(outcome: Reservation['outcome']): Fallback | undefined {
  if (outcome === 'exhausted') return 'budget-exhausted';
  return outcome === 'repeated' ? 'interrupted' : undefined;
}

/** The answer of a model, without `value` if it failed, with the usage that is paid for in both cases. */
export async function ask<T>(
  { languageModel, timeoutMs, onFailure }: WriterParts,
  tenant: string,
  request: CompletionRequest<T>,
): Promise<{ readonly value?: T; readonly usage: ModelUsage | undefined }> {
  try {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    return await languageModel(tenant).complete({ ...request, signal });
  } catch (error) {
    if (!(error instanceof LanguageModelFailed)) throw error;
    onFailure?.(error);
    return { usage: error.usage };
  }
}
