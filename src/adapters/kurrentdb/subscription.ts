import {
  LogUnavailable,
  type LogFilter,
  type LogPage,
  type SubscribeOptions,
} from '../../ports/event-log.ts';
import { pause } from '../../support/pause.ts';
import { WakeUp } from '../../support/wake-up.ts';
import type { AllReader } from './all-reader.ts';
import type { Connection } from './connection.ts';
import { ServerRefusal } from './errors.ts';
import { Gatherer } from './gatherer.ts';
import { Inbox } from './inbox.ts';
import { subscriptionRequest } from './requests.ts';

const defaultBatchSize = 500;
const defaultLingerMs = 10;
/** The log is looked at by itself when the subscription has been silent for so long: it may have died in silence. */
const pollMs = 500;
const firstRetryMs = 50;
const longestRetryMs = 1_000;

/** What subscriptions share with their log. */
export interface SubscriptionSource {
  readonly connection: Connection;
  readonly reader: AllReader;
  /** Woken by every append of this process. */
  readonly appended: Set<() => void>;
}

/** Where a subscription stands. */
interface Standing {
  /** Looked through to here. */
  position: number;
  /** Position of an event at or before that, known to be one; 0 for the start. */
  anchor: number;
  /** The server does not take `position` for a place to go on from. */
  refused: boolean;
}

/** Subscribes again and again, each time after what was handed out last, until `signal` aborts. */
export async function* subscribe(
  source: SubscriptionSource,
  options: SubscribeOptions,
): AsyncGenerator<LogPage> {
  const { after, signal } = options;
  const standing: Standing = { position: after, anchor: 0, refused: false };
  let retryMs = firstRetryMs;
  while (!signal.aborted) {
    try {
      for await (const page of follow(source, standing, options)) {
        retryMs = firstRetryMs;
        yield page;
      }
    } catch (error) {
      if (error instanceof ServerRefusal && !standing.refused) standing.refused = true;
      else if (!(error instanceof LogUnavailable)) throw error;
      await pause(retryMs, signal);
      retryMs = Math.min(2 * retryMs, longestRetryMs);
    }
  }
}

async function* follow(
  { connection, reader, appended }: SubscriptionSource,
  standing: Standing,
  { filter, batchSize = defaultBatchSize, lingerMs = defaultLingerMs, signal }: SubscribeOptions,
): AsyncGenerator<LogPage> {
  const arrival = new WakeUp();
  const call = await connection.subscribe(subscriptionRequest(await placeOf(reader, standing), filter));
  const inbox = new Inbox(call, arrival);
  const gatherer = new Gatherer(inbox, arrival, filter);
  let ownAppends = 0;
  const onAppend = (): void => {
    ownAppends++;
    arrival.wake();
  };
  // What the filter leaves out does not arrive: without this, `scannedTo` would stand still until the next poll.
  if (filter) appended.add(onAppend);
  try {
    let shownAt = -Infinity;
    let lookedAt = performance.now();
    let seenAppends = 0;
    while (!signal.aborted) {
      const seen = arrival.count;
      let page = await gatherer.gather(standing.position, batchSize, shownAt + lingerMs, signal);
      if (page.scannedTo === standing.position) {
        const waitMs = lookedAt + (ownAppends > seenAppends ? lingerMs : pollMs) - performance.now();
        if (waitMs > 0) {
          await arrival.after(seen, waitMs, signal);
          continue;
        }
        seenAppends = ownAppends;
        page = await lookAhead(reader, standing, batchSize, filter);
      }
      lookedAt = performance.now();
      standing.anchor = Math.max(standing.anchor, gatherer.lastEvent);
      if (page.scannedTo === standing.position) continue;
      standing.position = page.scannedTo;
      shownAt = performance.now();
      yield page;
    }
  } finally {
    appended.delete(onAppend);
    inbox.cancel();
  }
}

/** The subscription's own answers up to there are dropped when they come. */
async function lookAhead(
  reader: AllReader,
  { position, anchor }: Standing,
  limit: number,
  filter: LogFilter | undefined,
): Promise<LogPage> {
  return reader.forwards(position, limit, filter, anchor);
}

/** A position ahead of the log is none yet: the subscription begins at the log's end and drops what comes too early. */
async function placeOf(
  reader: AllReader,
  { position, anchor, refused }: Standing,
): Promise<'start' | number> {
  const wanted = refused ? anchor : Math.min(position, await reader.lastRecord());
  return wanted === 0 ? 'start' : wanted;
}
