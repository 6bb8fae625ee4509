import type { ModelUsage } from '../../ports/language-model.ts';
import type { ChatAnswer } from './chat-answer.ts';

/** Where an endpoint does not count them. */
const charactersPerToken = 4;

/** Adds up what one call costs, in all its requests. */
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

  answered(asked: readonly unknown[], { text, tokens }: ChatAnswer): void {
    this.#input += tokens?.input ?? estimate(JSON.stringify(asked));
    this.#output += tokens?.output ?? estimate(text);
  }

  /** Nobody waited for the answer; the endpoint has read what was asked. */
  givenUp(asked: readonly unknown[]): void {
    this.#input += estimate(JSON.stringify(asked));
  }
}

function estimate(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}
