import { LexicalIndexUnavailable } from '../../ports/lexical-index.ts';
import { retry } from '../../support/resilience/retry.ts';
import type { Connection } from './connection.ts';

const pollMs = 250;
/** How long to wait for retention leases, which are renewed every 30 s. */
const leasePatienceMs = 90_000;
const mergePatienceMs = 1_800_000;

class LeasesHeld extends LexicalIndexUnavailable {}

/**
 * Rewrites every segment that contains a replaced document. A merge keeps such documents as long as a retention lease
 * says that a copy of the shard may still need them, so this waits for the leases first.
 */
export async function expungeIndex(
  connection: Connection,
  index: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const flush = () => connection.change((client) => client.indices.flush({ index, wait_if_ongoing: true }));
  await flush();
  const last = new Map((await shardsOf(connection, index)).map(({ shard, last }) => [shard, last]));
  const checkLeases = async (): Promise<void> => {
    const shards = await shardsOf(connection, index);
    if (!shards.every(({ shard, retained }) => retained > (last.get(shard) ?? -1)))
      throw new LeasesHeld(`a copy of ${index} may still need replaced documents`);
  };
  await retry(checkLeases, {
    firstMs: pollMs,
    deadlineMs: leasePatienceMs,
    ...(signal && { signal }),
    isRetryable: (error) => error instanceof LeasesHeld,
  });
  await flush();
  await merge(connection, index, signal);
  // Old files are deleted when neither a commit nor a search refers to them.
  await flush();
  await connection.change((client) => client.indices.refresh({ index }));
}

/** One request, answered when everything is rewritten. After an abort the merge continues on the server. */
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
  /** Sequence number of the last operation. */
  readonly last: number;
  /** Sequence number of the first operation that a copy may still need. */
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
