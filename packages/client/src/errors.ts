import type { Problem } from './api-types.ts';
import { remedies } from './remedies.ts';

/** The stable codes of problems; docs/reference/problems.md lists them with their status. */
export type ProblemCode = Problem['code'];

/** Base of all errors of this client, apart from an aborted `signal`, whose reason is thrown as it is. */
export class StratalogError extends Error {
  override readonly name: string = 'StratalogError';
}

export interface FieldError {
  /** Dotted path of the field, such as `scope.team`. */
  readonly path: string;
  readonly message: string;
}

/** The body of an answer whose status is not 2xx. */
export interface ProblemDocument {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly requestId?: string;
  readonly errors?: readonly FieldError[];
  /** Further members, such as `memoryId` of `external-id-taken`. */
  readonly [member: string]: unknown;
}

/** The server refused the request. `code` says why, `remedy` what to do about it. */
export class ProblemError<Code extends string = string> extends StratalogError {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** Stable; `http-<status>` if the answer is not from Stratalog but, for example, from a proxy. */
  readonly code: Code;
  readonly title: string;
  readonly detail: string;
  /** The fields that are wrong. */
  readonly errors: readonly FieldError[];
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;
  readonly remedy: string | undefined;
  /** Seconds after which the server asks to be called again. */
  readonly retryAfter: number | undefined;
  /** The whole answer, as it came. */
  readonly problem: ProblemDocument;

  constructor(status: number, problem: ProblemDocument, headers: Pick<Headers, 'get'> = new Headers()) {
    const code = problem.code ?? `http-${status}`;
    const detail = problem.detail ?? `the server answered ${status}`;
    const remedy = (remedies as Readonly<Record<string, string>>)[code];
    super(`${detail} (${status} ${code})${remedy === undefined ? '' : `. ${remedy}`}`);
    this.status = status;
    this.code = code as Code;
    this.title = problem.title ?? '';
    this.detail = detail;
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId ?? headers.get('x-request-id') ?? undefined;
    this.remedy = remedy;
    this.retryAfter = secondsOf(headers.get('retry-after'));
    this.problem = problem;
  }
}

/** Whether an error is a problem, with one of these codes if any are given. */
export function isProblem<Code extends ProblemCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is ProblemError<Code> {
  return (
    error instanceof ProblemError && (codes.length === 0 || (codes as readonly string[]).includes(error.code))
  );
}

/** No server answers at this address, or something other than Stratalog does. */
export class UnreachableError extends StratalogError {
  override readonly name = 'UnreachableError';
}

/** The answer ended before it was complete. What was sent may have been carried out. */
export class ConnectionLostError extends StratalogError {
  override readonly name = 'ConnectionLostError';
}

/** The call took longer than `timeoutMs`. What was sent may have been carried out. */
export class TimeoutError extends StratalogError {
  override readonly name = 'TimeoutError';
}

/** `Retry-After` is in seconds, or a date from a proxy. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
