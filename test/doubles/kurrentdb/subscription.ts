import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Database } from './database.ts';
import { droppedForLagging, streamDeleted } from './errors.ts';
import type { Faults } from './faults.ts';
import { caughtUpResponse, checkpointResponse, confirmationResponse, eventResponse } from './messages.ts';
import { indexOfPosition, type ReadRequest } from './read-request.ts';
import type { PlacedRecord } from './record.ts';

/** Maximum time that a waiting subscription sleeps before it checks again. */
const restMs = 60_000;

/** The messages of a subscription, in order, until `signal` aborts. Throws if the subscription ends with an error. */
export async function* subscription(
  database: Database,
  faults: Faults,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadResp> {
  const source =
    request.stream === undefined ? allSource(database, request) : streamSource(database, request);
  yield confirmationResponse();
  let live = false;
  let unchecked = 0;
  while (!signal.aborted) {
    const seen = database.changed.count;
    if (live && faults.lagLimit !== undefined && source.behind() > faults.lagLimit) throw droppedForLagging();
    const record = source.next();
    if (record === undefined) {
      if (!live) yield caughtUpResponse();
      live = true;
      await database.changed.after(seen, restMs, signal);
      continue;
    }
    const { filter } = request;
    if (!filter || filter.matches(record)) yield eventResponse(record, database, request.resolveLinks);
    if (filter && ++unchecked === filter.checkpointEvery) {
      unchecked = 0;
      yield checkpointResponse(record.position);
    }
  }
}

interface Source {
  /** The next event; undefined at the end. */
  next(): PlacedRecord | undefined;
  /** Number of events until the end. */
  behind(): number;
}

function allSource(database: Database, { from }: ReadRequest): Source {
  const { all } = database;
  let index = 0;
  if (from === 'end') index = all.length;
  else if (from !== 'start') {
    index = indexOfPosition(database, from);
    // A subscription continues after the given event.
    const named = all[index];
    if (named && BigInt(named.position) === from) index++;
  }
  return { next: () => all[index] && all[index++], behind: () => all.length - index };
}

function streamSource(database: Database, { stream: name, from }: ReadRequest): Source {
  const events = (): readonly PlacedRecord[] => database.stream(name!)?.events ?? [];
  let index = 0;
  if (from === 'end') index = events().length;
  else if (from !== 'start') index = Number(from) + 1;
  return {
    next() {
      const stream = database.stream(name!);
      if (stream?.tombstoned) throw streamDeleted(name!);
      while (stream?.events[index] && !stream.shows(stream.events[index]!)) index++;
      return stream?.events[index] && stream.events[index++];
    },
    behind: () => events().length - index,
  };
}
