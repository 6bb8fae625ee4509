import { LogUnavailable } from '../../ports/event-log.ts';

/** Status codes of gRPC. */
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

/** What the server says for certain: nothing was written, and a repetition would be told the same. */
const certainRefusals = new Set(['stream-deleted', 'maximum-append-size-exceeded', 'access-denied']);
const certainCodes = new Set([code.invalidArgument, code.permissionDenied, code.unauthenticated]);

interface ServiceFailure extends Error {
  readonly code: number;
  readonly metadata?: { get(name: string): readonly (string | Buffer)[] };
}

/** The server answered, and refused: the wrong place, the wrong credentials, a stream that was ended. */
export class ServerRefusal extends Error {
  override readonly name = 'ServerRefusal';
}

/** The error of a call that only reads: the server is away, or it refuses. */
export function readError(error: unknown): Error {
  if (!isServiceFailure(error)) return asError(error);
  const away = serverIsAway.has(error.code) || trailer(error, 'exception') === 'not-leader';
  return away ? unavailable(error) : new ServerRefusal(error.message, { cause: error });
}

/** The error of an append. Whatever is not a refusal for certain leaves open whether the events were written. */
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

/** The server is older than the call. */
export function isUnknownCall(error: unknown): boolean {
  return isServiceFailure(error) && error.code === code.unimplemented;
}

export function unavailable(cause: unknown): LogUnavailable {
  // gRPC ends with a note of its own, empty as a rule.
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
