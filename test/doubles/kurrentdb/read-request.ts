import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Database } from './database.ts';
import { invalidArgument, unknown } from './errors.ts';
import { streamName } from './messages.ts';
import type { PlacedRecord } from './record.ts';
import { streams } from './stubs.ts';

/** Where to begin: at the start or end, or at a revision or position. */
export type From = 'start' | 'end' | bigint;

export interface ReadRequest {
  /** Undefined for the whole log. */
  readonly stream: string | undefined;
  readonly from: From;
  readonly backwards: boolean;
  /** Undefined for a subscription. */
  readonly limit: number | undefined;
  readonly resolveLinks: boolean;
  readonly filter: Filter | undefined;
}

export interface Filter {
  readonly matches: (record: PlacedRecord) => boolean;
  /** How many events are scanned between two checkpoints. */
  readonly checkpointEvery: number;
}

const eventsPerCheckpoint = 32;

export function readRequest(request: ReadReq): ReadRequest {
  const options = request.getOptions()!;
  const stream = options.getStream();
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const limit = options.hasSubscription() ? undefined : Number(options.getCount());
  const from = stream ? fromRevision(stream) : fromPosition(options.getAll()!);
  if (limit === 0) throw invalidArgument('a read needs a count');
  if (stream && from === 'end' && limit !== undefined && !backwards)
    throw invalidArgument('no read goes forwards from the end');
  const filter = options.getFilter();
  return {
    stream: stream && streamName(stream.getStreamIdentifier()),
    from,
    backwards,
    limit,
    resolveLinks: options.getResolveLinks(),
    filter: filter && filterOf(filter),
  };
}

/** Index in `all` of the first record at or after a position. Throws if the position is inside a record. */
export function indexOfPosition(database: Database, position: bigint): number {
  const { all, end } = database;
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (all[middle]!.position < position) low = middle + 1;
    else high = middle;
  }
  const isRecord = low < all.length && BigInt(all[low]!.position) === position;
  if (position === 0n || isRecord || position >= BigInt(end)) return low;
  throw unknown(`Unexpected error: no record at position ${position}`);
}

function fromRevision(options: ReadReq.Options.StreamOptions): From {
  if (options.hasStart()) return 'start';
  return options.hasEnd() ? 'end' : BigInt(options.getRevision());
}

function fromPosition(options: ReadReq.Options.AllOptions): From {
  if (options.hasStart()) return 'start';
  return options.hasEnd() ? 'end' : BigInt(options.getPosition()!.getCommitPosition());
}

function filterOf(options: ReadReq.Options.FilterOptions): Filter {
  const byStream = options.getStreamIdentifier();
  const expression = (byStream ?? options.getEventType())!;
  const pattern = expression.getRegex();
  const prefixes = expression.getPrefixList();
  const regex = pattern === '' ? undefined : new RegExp(pattern, 'u');
  return {
    matches({ stream, type }) {
      const text = byStream ? stream : type;
      return regex ? regex.test(text) : prefixes.some((prefix) => text.startsWith(prefix));
    },
    checkpointEvery: eventsPerCheckpoint * Math.max(1, options.getCheckpointintervalmultiplier()),
  };
}
