import type { ModelUsage } from '../../ports/language-model.ts';
import { estimateTokens } from '../../domain/text/estimate-tokens.ts';
import type { ChatAnswer } from './chat-answer.ts';

/** Adds up the tokens of all requests of one call. */
export class UsageTally {
  readonly model: string;
  #requests = 0;
  #input = 0;
  #output = 0;

  constructor(model: string) {
    this.model = model;
  }

  get usage(): ModelUsage {
    return {
      model: this.model,
      inputTokens: this.#input,
      outputTokens: this.#output,
      requests: this.#requests,
    };
  }

  requested(): void {
    this.#requests++;
  }

  answered(asked: readonly unknown[], { length, tokens }: ChatAnswer): void {
    this.#input += tokens?.input ?? estimateTokens(JSON.stringify(asked).length);
    this.#output += tokens?.output ?? estimateTokens(length);
  }

  /** Counts only the input: the endpoint has read it, but its answer was not awaited. */
  abandoned(asked: readonly unknown[]): void {
    this.#input += estimateTokens(JSON.stringify(asked).length);
  }
}
