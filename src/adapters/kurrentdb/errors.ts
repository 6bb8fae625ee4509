import { LogUnavailable } from '../../ports/event-log.ts';

/** gRPC status codes. */
const code = {
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
};

const serverIsAway = new Set([
  code.cancelled,
  code.deadlineExceeded,
  code.resourceExhausted,
  code.aborted,
  code.internal,
  code.unavailable,
]);

/** Errors after which it is certain that nothing was written and that a retry would fail in the same way. */
const certainRefusals = new Set(['stream-deleted', 'maximum-append-size-exceeded', 'access-denied']);
const certainCodes = new Set([code.invalidArgument, code.permissionDenied, code.unauthenticated]);

interface ServiceFailure extends Error {
  readonly code: number;
  readonly metadata?: { get(name: string): readonly (string | Buffer)[] };
}

/** The server refused the request: an unknown position, wrong credentials, a deleted stream. */
export class ServerRefusal extends Error {
  override readonly name = 'ServerRefusal';
}

/** Converts the error of a read into `LogUnavailable` or `ServerRefusal`. */
export function readError(error: unknown): Error {
  if (!isServiceFailure(error)) return asError(error);
  const away = serverIsAway.has(error.code) || trailer(error, 'exception') === 'not-leader';
  return away ? unavailable(error) : new ServerRefusal(error.message, { cause: error });
}

/** Converts the error of an append. Unless it is certainly a refusal, the events may have been written. */
export function appendError(error: unknown, bytes: number): Error {
  if (!isServiceFailure(error)) return asError(error);
  const exception = trailer(error, 'exception');
  if (exception === 'maximum-append-size-exceeded') {
    const limit = trailer(error, 'maximum-append-size');
    return new RangeError(
      `an append of ${bytes} bytes is over the server's limit of ${limit}: append less, or raise --max-append-size`,
      { cause: error },
    );
  }
  const certain =
    certainRefusals.has(exception ?? '') || (exception === undefined && certainCodes.has(error.code));
  return certain ? new ServerRefusal(error.message, { cause: error }) : unavailable(error);
}

/** Whether the server is too old to know the call. */
export function isUnknownCall(error: unknown): boolean {
  return isServiceFailure(error) && error.code === code.unimplemented;
}

export function unavailable(cause: unknown): LogUnavailable {
  // gRPC appends a note, which is usually empty.
  const reason = asError(cause).message.replace(/\.? Resolution note:\s*$/, '');
  return new LogUnavailable(`the event store does not answer: ${reason}`, { cause });
}

function isServiceFailure(error: unknown): error is ServiceFailure {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}

function trailer({ metadata }: ServiceFailure, name: string): string | undefined {
  return metadata?.get(name)[0]?.toString();
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
