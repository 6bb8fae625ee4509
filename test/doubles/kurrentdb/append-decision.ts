import type { StreamState } from './stream-state.ts';

export type Expected = 'any' | 'no_stream' | 'stream_exists' | bigint;

export type Decision =
  | { readonly kind: 'write' }
  /** All events were written before; `first` is the revision of the first one. */
  | { readonly kind: 'repeated'; readonly first: bigint }
  | { readonly kind: 'wrong-revision' }
  | { readonly kind: 'deleted' };

/** Finds the revision of a recently written event of this stream. */
export type RecentRevision = (id: string) => bigint | undefined;

/**
 * Decides on an append like the real server. A known id makes an append a repetition only if the event is at the expected
 * revision, or, with `any` and `stream_exists`, if the server still remembers the id. At the head a known id is written
 * again.
 */
export function decide(
  stream: StreamState,
  expected: Expected,
  ids: readonly string[],
  recent: RecentRevision,
): Decision {
  if (stream.tombstoned) return { kind: 'deleted' };
  const last = stream.lastRevision;
  if (expected === 'stream_exists') {
    if (last < 0n) return { kind: 'wrong-revision' };
    if (stream.softlyDeleted) return { kind: 'deleted' };
  }
  if (expected === 'any' || expected === 'stream_exists') return decideByIds(ids, recent);
  const wanted = expected === 'no_stream' ? -1n : expected;
  if (wanted === last) return { kind: 'write' };
  return wanted > last ? { kind: 'wrong-revision' } : decideByPlace(stream, wanted + 1n, ids);
}

function decideByIds(ids: readonly string[], recent: RecentRevision): Decision {
  const revisions = ids.map(recent);
  if (revisions[0] === undefined) return { kind: 'write' };
  return revisions.includes(undefined)
    ? { kind: 'wrong-revision' }
    : { kind: 'repeated', first: revisions[0] };
}

function decideByPlace(stream: StreamState, first: bigint, ids: readonly string[]): Decision {
  const same = ids.map((id, index) => stream.at(first + BigInt(index))?.id === id);
  if (same.every(Boolean)) return { kind: 'repeated', first };
  return !same[0] && stream.softlyDeleted ? { kind: 'write' } : { kind: 'wrong-revision' };
}
