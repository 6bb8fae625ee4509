import { APIError } from 'openai';
import { WrongDimension } from '../../ports/embedder.ts';
import { isRefusal } from './model-failure.ts';
import { isTransient } from './retries.ts';

/**
 * The endpoint works and does not embed these texts. `too-long`: one of them is longer than its limit. `refused`: it rejects one of them.
 * `fails`: it breaks, or answers no vector, whenever it is asked for one of them.
 */
export class NotEmbedded extends Error {
  override readonly name = 'NotEmbedded';
  readonly error: unknown;
  readonly reason: 'too-long' | 'refused' | 'fails';

  constructor(error: unknown, reason: NotEmbedded['reason']) {
    super(reason);
    this.error = error;
    this.reason = reason;
  }
}

/** How endpoints say that a text, or all texts of a request together, are too long. */
const saysTooLong =
  /too (?:long|large|many (?:input )?tokens)|(?:maximum|max|longer than the|exceeds? (?:the )?)[\s\w]*(?:context|length|tokens|sequence|size)|context (?:length|window|size)|must have less than|physical batch size|input length/i;
const notAboutTexts: readonly unknown[] = [401, 403, 404, 429, 503];

/** Why the endpoint will not embed the texts of a request, if its answer says so. */
export function refusalBy(error: unknown): 'too-long' | 'refused' | undefined {
  if (!(error instanceof APIError)) return undefined;
  const status: unknown = error.status;
  const isTooLong = status === 413 || saysTooLong.test(error.message);
  if (isTooLong && typeof status === 'number' && !notAboutTexts.includes(status)) return 'too-long';
  return isRefusal(status) ? 'refused' : undefined;
}

/** Whether a failure of the endpoint may be caused by one of the texts. A busy endpoint is not. */
export function mayBeDueToText(error: unknown): boolean {
  if (error instanceof WrongDimension) return true;
  const status: unknown = error instanceof APIError ? error.status : undefined;
  return typeof status === 'number' ? status >= 500 && status !== 503 : isTransient(error);
}
