import { ZodError } from 'zod';
import { EmbedderUnavailable } from '../ports/embedder.ts';
import { LogUnavailable } from '../ports/event-log.ts';
import { KeyDestroyed } from '../ports/key-vault.ts';
import { LexicalIndexUnavailable } from '../ports/lexical-index.ts';
import { sqlState, SqlUnavailable } from '../ports/sql.ts';
import { inputProblem } from '../domain/input/parse-input.ts';
import { Problem, problems, type FieldError } from '../domain/problems.ts';
import { ServerStopping } from '../support/request-scope.ts';

/** A problem document (RFC 9457). */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly FieldError[];
  readonly [extra: string]: unknown;
}

export function problemDocument(problem: Problem, requestId: string): ProblemDocument {
  return {
    type: `urn:stratalog:problem:${problem.code}`,
    title: problems[problem.code].title,
    status: problem.status,
    code: problem.code,
    detail: problem.message,
    requestId,
    ...(problem.errors.length > 0 && { errors: problem.errors }),
    ...problem.extra,
  };
}

/** Converts any error to the problem that the caller receives; `internal` if neither the caller nor a server behind this one is at fault. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ZodError) return inputProblem(error);
  if (error instanceof KeyDestroyed) return new Problem('not-found', 'no such memory', { cause: error });
  if (isDiskFull(error)) {
    const detail =
      'less than 64 MB are free on the disk of the server, which it keeps as a reserve; nothing was written';
    return new Problem('storage-full', detail, { retryAfter: 10, cause: error });
  }
  if (
    error instanceof SqlUnavailable ||
    error instanceof LogUnavailable ||
    error instanceof EmbedderUnavailable ||
    error instanceof LexicalIndexUnavailable
  ) {
    return new Problem('unavailable', 'a server behind this one does not respond', {
      retryAfter: 2,
      cause: error,
    });
  }
  if (error instanceof ServerStopping)
    return new Problem('unavailable', 'the server is stopping', { retryAfter: 2, cause: error });
  return new Problem('internal', 'the request failed inside the server', { cause: error });
}

function isDiskFull(error: unknown): boolean {
  const codes = new Set(['53100', 'ENOSPC']);
  for (let current = error; current instanceof Error; current = current.cause) {
    if (codes.has(sqlState(current) ?? '') || codes.has(String((current as { code?: unknown }).code)))
      return true;
  }
  return false;
}
