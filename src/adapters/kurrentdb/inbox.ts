import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientReadableStream } from '@grpc/grpc-js';
import type { WakeUp } from '../../support/wake-up.ts';
import { readError, unavailable } from './errors.ts';

/** The answers of a subscription, taken one at a time, so that a slow reader holds the server back. */
export class Inbox {
  readonly #call: ClientReadableStream<ReadResp>;
  #error: Error | undefined;

  /** Wakes `arrival` whenever there may be more to take. */
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

  /** The next answer, undefined where none is there yet. After the last one it throws what ended the subscription. */
  take(): ReadResp | undefined {
    const response = this.#call.read() as ReadResp | null;
    if (response !== null) return response;
    if (this.#error) throw this.#error;
    return undefined;
  }

  cancel(): void {
    this.#call.cancel();
  }
}
