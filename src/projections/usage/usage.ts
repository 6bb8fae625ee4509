import type { AffirmationEvent } from '../../domain/memory/affirmation.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { digestOf, digestOfAll } from '../../read-models/digest.ts';
import { ErasedMemories, type MemoryKey } from '../erased-memories.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import type { Projection } from '../projection.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { memoryKeys } from '../../read-models/recordset.ts';
import { remove, together, type Write } from '../write.ts';

type Handled = LoadedEvent<
  RetrievalEvent | AffirmationEvent | Extract<MemoryEvent, { type: 'MemoryErased' }>
>;

interface Use extends MemoryKey {
  accesses: number;
  last_accessed_at?: string;
  feedbacks: number;
  feedback_sum: number;
}

const columns = {
  tenant: 'text',
  memory_id: 'uuid',
  accesses: 'bigint',
  last_accessed_at: 'timestamptz',
  feedbacks: 'bigint',
  feedback_sum: 'bigint',
} as const;

interface Affirmation extends MemoryKey {
  readonly position: number;
  readonly affirmations: number;
  /** ISO time, as it is shown. */
  readonly affirmed_at: string;
}

const affirmationColumns = {
  tenant: 'text',
  memory_id: 'uuid',
  position: 'bigint',
  affirmations: 'integer',
  affirmed_at: 'text',
} as const;
const erasures = new ErasedMemories('usage_erasures');

/**
 * How often each memory was returned or put into a context, and its feedback. Only sums and a maximum, since the events come from many
 * streams in any order. Feedback is summed in thousandths, so that sums are exact. The erasure of a memory deletes its row, and what
 * is applied later counts nothing for it. Affirmations are rows of their own, so that a search as of a position finds those of then.
 */
export const usage: Projection = {
  name: 'usage',
  version: 3,
  handles: ['MemoriesAccessed', 'FeedbackGiven', 'MemoryAffirmed', 'MemoryErased'],
  tables: ['usage', 'usage_affirmations', erasures.table],
  create: (tables) => [
    `create table ${tables('usage')} (
      tenant text not null,
      memory_id uuid not null,
      accesses bigint not null,
      last_accessed_at timestamptz,
      feedbacks bigint not null,
      feedback_sum bigint not null,
      primary key (tenant, memory_id)
    )`,
    `create table ${tables('usage_affirmations')} (
      tenant text not null,
      memory_id uuid not null,
      position bigint not null,
      affirmations integer not null,
      affirmed_at text not null,
      primary key (tenant, memory_id, position)
    )`,
    ...protect(tables('usage')),
    ...protect(tables('usage_affirmations')),
    ...erasures.create(tables),
  ],
  plan: (events, _, tables) => Promise.resolve(plan(events as readonly Handled[], tables)),
  holds: (tables) => rowsWith([tables('usage'), ofMemory], [tables('usage_affirmations'), ofMemory]),
  digest: (tables) =>
    digestOfAll(
      digestOf(tables('usage'), columns),
      digestOf(tables('usage_affirmations'), affirmationColumns),
      digestOf(tables(erasures.table), erasures.columns),
    ),
};

function plan(events: readonly Handled[], tables: Tables): Write {
  const gone: MemoryKey[] = [];
  const uses = new Map<string, Use>();
  const useOf = (tenant: string, memoryId: string): Use => {
    const key = `${tenant}/${memoryId}`;
    const use = uses.get(key) ?? { tenant, memory_id: memoryId, accesses: 0, feedbacks: 0, feedback_sum: 0 };
    uses.set(key, use);
    return use;
  };
  const affirmations: Affirmation[] = [];
  for (const { event, metadata, position, time } of events) {
    if (event.type === 'MemoriesAccessed') {
      const at = time.toISOString();
      for (const memoryId of event.data.memoryIds) {
        const use = useOf(metadata.tenant, memoryId);
        use.accesses++;
        if (use.last_accessed_at === undefined || at > use.last_accessed_at) use.last_accessed_at = at;
      }
    } else if (event.type === 'FeedbackGiven') {
      const use = useOf(metadata.tenant, event.data.memoryId);
      use.feedbacks++;
      use.feedback_sum += Math.round(event.data.score * 1_000);
    } else if (event.type === 'MemoryAffirmed') {
      const { memoryId, affirmations: count, affirmedAt } = event.data;
      affirmations.push({
        tenant: metadata.tenant,
        memory_id: memoryId,
        position,
        affirmations: count,
        affirmed_at: affirmedAt,
      });
    } else if (event.type === 'MemoryErased') {
      gone.push({ tenant: metadata.tenant, memory_id: event.data.memoryId });
    }
  }
  const rows = [...uses.values()].sort((left, right) => (left.memory_id < right.memory_id ? -1 : 1));
  return together(
    erasures.add(tables, gone),
    remove(tables('usage'), memoryKeys, gone),
    remove(tables('usage_affirmations'), memoryKeys, gone),
    erasures.insertOthers(tables, 'usage_affirmations', affirmationColumns, affirmations, ''),
    erasures.insertOthers(
      tables,
      'usage',
      columns,
      rows,
      `on conflict (tenant, memory_id) do update set
         accesses = t.accesses + excluded.accesses,
         last_accessed_at = greatest(t.last_accessed_at, excluded.last_accessed_at),
         feedbacks = t.feedbacks + excluded.feedbacks,
         feedback_sum = t.feedback_sum + excluded.feedback_sum`,
    ),
  );
}
