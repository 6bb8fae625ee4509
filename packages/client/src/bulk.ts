import type * as api from './api-types.ts';
import { backoffMs } from './backoff.ts';
import { pause } from './deadline.ts';
import { ConnectionLostError } from './errors.ts';
import { linesOf } from './ndjson.ts';
import type { CommandOptions } from './options.ts';
import { randomKey } from './request.ts';
import { RequestBody, type LineSource } from './request-body.ts';
import type { Transport } from './transport.ts';

/** A memory to store; with `upsert`, it replaces the memory that has its externalId. */
export interface BulkMemory extends api.StoreMemory {
  readonly upsert?: boolean | undefined;
}

/**
 * Stores many memories in one request and yields the result of each as it arrives, in order. If the connection is lost and `source`
 * can be read again, the same lines are sent again under the same idempotency key, and the results continue where they stopped.
 */
export async function* storeAll(
  transport: Transport,
  source: LineSource<BulkMemory>,
  options: CommandOptions = {},
): AsyncGenerator<api.BulkLine> {
  const { signal, retries = transport.retries, idempotencyKey = randomKey() } = options;
  const body = new RequestBody(source);
  let answered = 0;
  for (let failures = 0; ; failures++) {
    const before = answered;
    try {
      const response = await transport.open(
        { method: 'POST', path: '/v1/memories/bulk', changes: true },
        { ...options, idempotencyKey },
        body,
      );
      let repeated = 0;
      for await (const line of linesOf<api.BulkLine>(response)) {
        // A repeated request answers all lines again: skip the results that were already yielded.
        if (repeated++ < before) continue;
        answered++;
        if (line.position !== undefined) transport.seen.add(line.position);
        yield line;
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (body.failure) throw body.failure.error;
      if (answered > before) failures = 0;
      if (!(error instanceof ConnectionLostError) || !body.canRepeat() || failures >= retries) throw error;
    }
    await pause(backoffMs(failures), signal);
  }
}
