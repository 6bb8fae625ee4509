import {
  LogUnavailable,
  type LogFilter,
  type LogPage,
  type SubscribeOptions,
} from '../../ports/event-log.ts';
import { Backoff } from '../../support/resilience/backoff.ts';
import { WakeUp } from '../../support/wake-up.ts';
import type { AllReader } from './all-reader.ts';
import type { Connection } from './connection.ts';
import { ServerRefusal } from './errors.ts';
import { PageAssembler } from './page-assembler.ts';
import { ResponseReader } from './response-reader.ts';
import { subscriptionRequest } from './requests.ts';

const defaultBatchSize = 500;
const defaultLingerMs = 10;
/** After this much silence the log is read directly, because a broken subscription may report nothing. */
const pollMs = 500;
const resubscribe = { firstMs: 50, longestMs: 1_000 };

/** State that subscriptions share with their log. */
export interface SubscriptionSource {
  readonly connection: Connection;
  readonly reader: AllReader;
  /** Woken by every append of this process. */
  readonly appended: Set<() => void>;
}

interface Progress {
  /** Everything up to here has been delivered. */
  position: number;
  /** Position of a known event at or before `position`; 0 for the start. */
  anchor: number;
  /** The server does not accept `position` as the start of a subscription. */
  refused: boolean;
}

/** Subscribes until `signal` aborts; after an interruption it continues after the last delivered position. */
export async function* subscribe(
  source: SubscriptionSource,
  options: SubscribeOptions,
): AsyncGenerator<LogPage> {
  const { after, signal } = options;
  const progress: Progress = { position: after, anchor: 0, refused: false };
  const backoff = new Backoff(resubscribe);
  while (!signal.aborted) {
    try {
      for await (const page of follow(source, progress, options)) {
        backoff.reset();
        yield page;
      }
    } catch (error) {
      if (error instanceof ServerRefusal && !progress.refused) progress.refused = true;
      else if (!(error instanceof LogUnavailable)) throw error;
      await backoff.pause(signal);
    }
  }
}

async function* follow(
  { connection, reader, appended }: SubscriptionSource,
  progress: Progress,
  { filter, batchSize = defaultBatchSize, lingerMs = defaultLingerMs, signal }: SubscribeOptions,
): AsyncGenerator<LogPage> {
  const arrival = new WakeUp();
  const call = await connection.subscribe(subscriptionRequest(await startOf(reader, progress), filter));
  const responses = new ResponseReader(call, arrival);
  const assembler = new PageAssembler(responses, arrival, filter);
  let ownAppends = 0;
  const onAppend = (): void => {
    ownAppends++;
    arrival.wake();
  };
  // Events that the filter excludes do not arrive. Without this, `scannedTo` would not advance until the next poll.
  if (filter) appended.add(onAppend);
  try {
    let deliveredAt = -Infinity;
    let readAt = performance.now();
    let seenAppends = 0;
    while (!signal.aborted) {
      const seen = arrival.count;
      let page = await assembler.nextPage(progress.position, batchSize, deliveredAt + lingerMs, signal);
      if (page.scannedTo === progress.position) {
        const waitMs = readAt + (ownAppends > seenAppends ? lingerMs : pollMs) - performance.now();
        if (waitMs > 0) {
          await arrival.after(seen, waitMs, signal);
          continue;
        }
        seenAppends = ownAppends;
        page = await readAhead(reader, progress, batchSize, filter);
      }
      readAt = performance.now();
      progress.anchor = Math.max(progress.anchor, assembler.lastEvent);
      if (page.scannedTo === progress.position) continue;
      progress.position = page.scannedTo;
      deliveredAt = performance.now();
      yield page;
    }
  } finally {
    appended.delete(onAppend);
    responses.cancel();
  }
}

/** Reads the next page directly. When the subscription later delivers the same events, they are skipped. */
async function readAhead(
  reader: AllReader,
  { position, anchor }: Progress,
  limit: number,
  filter: LogFilter | undefined,
): Promise<LogPage> {
  return reader.forwards(position, limit, filter, anchor);
}

/**
 * The position to subscribe from. The server does not accept a position beyond the end of the log: then the subscription starts
 * at the end, and events at or before `position` are skipped.
 */
async function startOf(
  reader: AllReader,
  { position, anchor, refused }: Progress,
): Promise<'start' | number> {
  const start = refused ? anchor : Math.min(position, await reader.lastRecord());
  return start === 0 ? 'start' : start;
}
