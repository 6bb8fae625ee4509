import { setTimeout as delay } from 'node:timers/promises';
import { LexicalIndexUnavailable } from '../../ports/lexical-index.ts';
import type { Connection } from './connection.ts';

const pollMs = 250;
/** Leases are renewed every 30 s. */
const leasePatienceMs = 90_000;
const mergePatienceMs = 1_800_000;

/**
 * Rewrites every segment that holds a replaced document. A merge keeps such documents as long as a retention lease
 * says that a copy of the shard might still have to be told of them, so the leases are waited for first.
 */
export async function expungeIndex(
  connection: Connection,
  index: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const flush = () => connection.change((client) => client.indices.flush({ index, wait_if_ongoing: true }));
  await flush();
  const last = new Map((await shardsOf(connection, index)).map(({ shard, last }) => [shard, last]));
  const letGo = async (): Promise<boolean> =>
    (await shardsOf(connection, index)).every(({ shard, retained }) => retained > (last.get(shard) ?? -1));
  for (const end = performance.now() + leasePatienceMs; !(await letGo());) {
    if (signal?.aborted || performance.now() >= end)
      throw new LexicalIndexUnavailable(`a copy of ${index} may still need what was replaced`);
    await delay(pollMs, undefined, { ...(signal && { signal }) }).catch(() => {});
  }
  await flush();
  await merge(connection, index, signal);
  // Files go when neither a commit nor a search holds them.
  await flush();
  await connection.change((client) => client.indices.refresh({ index }));
}

/** One request, whose answer comes when all is rewritten. The merge goes on where nobody waits for it any more. */
async function merge(connection: Connection, index: string, signal: AbortSignal | undefined): Promise<void> {
  await connection.ask(async (client) => {
    const request = client.indices.forcemerge(
      { index, only_expunge_deletes: true },
      { requestTimeout: mergePatienceMs },
    );
    const abort = (): void => request.abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      if (signal?.aborted) abort();
      const {
        body: {
          _shards: { failed },
        },
      } = await request;
      if (failed > 0) throw new LexicalIndexUnavailable(`${failed} shards of ${index} were not rewritten`);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  });
}

interface ShardState {
  readonly shard: string;
  /** Number of the last operation on it. */
  readonly last: number;
  /** The first operation that one of its copies may still have to be told of. */
  readonly retained: number;
}

interface CopyStats {
  readonly routing: { readonly primary: boolean };
  readonly seq_no: { readonly max_seq_no: number };
  readonly retention_leases: { readonly leases: readonly { readonly retaining_seq_no: number }[] };
}

async function shardsOf(connection: Connection, index: string): Promise<ShardState[]> {
  const { body } = await connection.read((client) => client.indices.stats({ index, level: 'shards' }));
  const { shards = {} } = body.indices?.[index] ?? {};
  return Object.entries(shards as unknown as Record<string, readonly CopyStats[]>).map(([shard, copies]) => {
    const primary = copies.find(({ routing }) => routing.primary);
    if (!primary) throw new LexicalIndexUnavailable(`shard ${shard} of ${index} has no primary now`);
    return {
      shard,
      last: primary.seq_no.max_seq_no,
      retained: Math.min(
        ...copies.flatMap(({ retention_leases: { leases } }) =>
          leases.map(({ retaining_seq_no }) => retaining_seq_no),
        ),
      ),
    };
  });
}
