import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Database } from './database.ts';
import { streamDeleted } from './errors.ts';
import { eventResponse, notFoundResponse } from './messages.ts';
import { indexOfPosition, type ReadRequest } from './read-request.ts';
import type { PlacedRecord } from './record.ts';

/** The responses of a read, in order. Throws if the read ends with an error. */
export function* read(database: Database, request: ReadRequest): Generator<ReadResp> {
  const records = request.stream === undefined ? readAll(database, request) : readStream(database, request);
  if (records === undefined) {
    yield notFoundResponse(request.stream!);
    return;
  }
  let count = 0;
  for (const record of records) {
    if (request.filter && !request.filter.matches(record)) continue;
    if (count++ >= request.limit!) return;
    yield eventResponse(record, database, request.resolveLinks);
  }
}

function readAll(database: Database, { from, backwards }: ReadRequest): Iterable<PlacedRecord> {
  const { all } = database;
  const start = from === 'start' ? 0 : from === 'end' ? all.length : indexOfPosition(database, from);
  return backwards ? stepping(all, start - 1, -1) : stepping(all, start, 1);
}

function readStream(
  database: Database,
  { stream: name, from, backwards }: ReadRequest,
): Iterable<PlacedRecord> | undefined {
  const stream = database.stream(name!);
  if (stream?.tombstoned) throw streamDeleted(name!);
  if (stream === undefined || stream.events.length === 0 || stream.softlyDeleted) return undefined;
  const { events } = stream;
  const revision = from === 'start' ? 0 : from === 'end' ? events.length - 1 : Number(from);
  const steps = backwards
    ? stepping(events, Math.min(revision, events.length - 1), -1)
    : stepping(events, revision, 1);
  return shown(steps, (record) => stream.shows(record));
}

function* stepping(records: readonly PlacedRecord[], from: number, step: 1 | -1): Generator<PlacedRecord> {
  for (let index = from; index >= 0 && index < records.length; index += step) yield records[index]!;
}

function* shown(
  records: Iterable<PlacedRecord>,
  shows: (record: PlacedRecord) => boolean,
): Generator<PlacedRecord> {
  for (const record of records) if (shows(record)) yield record;
}
