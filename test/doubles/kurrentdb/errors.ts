import { Metadata, status, type ServiceError } from '@grpc/grpc-js';

/** An error as the server sends it: a status, with details in the trailers. */
function serviceError(
  code: number,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): ServiceError {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

export const invalidArgument = (details: string): ServiceError =>
  serviceError(status.INVALID_ARGUMENT, details);

export const unknown = (details: string): ServiceError => serviceError(status.UNKNOWN, details);

export const droppedForLagging = (): ServiceError =>
  serviceError(status.ABORTED, 'Operation timed out: the subscriber is too slow');

export const streamDeleted = (stream: string): ServiceError =>
  serviceError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

export const appendTooLarge = (maxAppendBytes: number): ServiceError =>
  serviceError(status.INVALID_ARGUMENT, `Maximum Append Size of ${maxAppendBytes} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(maxAppendBytes),
  });

export const wrongExpectedVersion = (stream: string, expected: bigint, actual: bigint): ServiceError =>
  serviceError(status.FAILED_PRECONDITION, `Append failed due to WrongExpectedVersion. Stream: ${stream}`, {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': String(expected),
    'actual-version': String(actual),
  });
