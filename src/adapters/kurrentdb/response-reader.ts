import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientReadableStream } from '@grpc/grpc-js';
import type { WakeUp } from '../../support/wake-up.ts';
import { readError, unavailable } from './errors.ts';

/** Reads the responses of a subscription one at a time, so that a slow reader slows down the server. */
export class ResponseReader {
  readonly #call: ClientReadableStream<ReadResp>;
  #error: Error | undefined;

  /** Wakes `arrival` whenever there may be another response. */
  constructor(call: ClientReadableStream<ReadResp>, arrival: WakeUp) {
    this.#call = call;
    call.on('readable', () => arrival.wake());
    call.on('error', (error) => {
      this.#error ??= readError(error);
      arrival.wake();
    });
    call.on('end', () => {
      this.#error ??= unavailable(new Error('the subscription ended'));
      arrival.wake();
    });
  }

  /** The next response, or undefined if none has arrived. After the last one it throws the error that ended the subscription. */
  next(): ReadResp | undefined {
    const response = this.#call.read() as ReadResp | null;
    if (response !== null) return response;
    if (this.#error) throw this.#error;
    return undefined;
  }

  cancel(): void {
    this.#call.cancel();
  }
}
