import { APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { LanguageModelFailed, type ModelFailure, type ModelUsage } from '../../ports/language-model.ts';
import { BrokenAnswer } from './retries.ts';

interface Reason {
  readonly failure: ModelFailure;
  readonly detail: string;
}

/**
 * Converts an error of a request into `LanguageModelFailed`; returns errors of this program unchanged. The message contains
 * the status or the system's error code, but nothing that the endpoint wrote, which may quote the key or the prompt. For the same
 * reason it has no cause.
 */
export function failureOf(error: unknown, name: string, usage?: ModelUsage): unknown {
  const reason = reasonOf(error);
  return reason ? new LanguageModelFailed(reason.failure, `${name} ${reason.detail}`, { usage }) : error;
}

/** The failure and a description without the endpoint's text; undefined for an error of this program. */
export function reasonOf(error: unknown): Reason | undefined {
  if (isTimeOut(error)) return { failure: 'timed-out', detail: 'did not answer in time' };
  const status: unknown = error instanceof APIError ? error.status : undefined;
  if (typeof status === 'number') return { failure: failureByStatus(status), detail: `answered ${status}` };
  if (error instanceof APIError)
    return { failure: 'unavailable', detail: `cannot be reached${codeOf(error)}` };
  // SyntaxError and TypeError: a body that is not JSON, or that is truncated.
  if (error instanceof BrokenAnswer || error instanceof SyntaxError || error instanceof TypeError)
    return { failure: 'unavailable', detail: 'answered what it should not' };
  return undefined;
}

function isTimeOut(error: unknown): boolean {
  if (error instanceof APIUserAbortError || error instanceof APIConnectionTimeoutError) return true;
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
}

function failureByStatus(status: number): ModelFailure {
  if (status === 408) return 'timed-out';
  if (status === 429) return 'rate-limited';
  if (isRefusal(status)) return 'refused';
  return status === 409 || status >= 500 ? 'unavailable' : 'misconfigured';
}

/** The endpoint accepted the credentials and rejects this particular request. */
export function isRefusal(status: unknown): boolean {
  return status === 400 || status === 413 || status === 422;
}

/** The system's error code from the chain of causes, such as ` (ECONNREFUSED)`. */
function codeOf(error: Error): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code: unknown = Reflect.get(cause, 'code');
    if (typeof code === 'string') return ` (${code})`;
  }
  return '';
}
