import type { AffirmationEvent } from '../../domain/memory/affirmation.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { memoryKeys } from '../../read-models/recordset.ts';
import { Table, type Draft, type Row, type Tables } from '../../read-models/table.ts';
import { ErasedMemories } from '../erased-memories.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import type { MemoryKey } from '../memory-rows.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { remove, removeRows, together, type Write } from '../write.ts';

type Handled = LoadedEvent<
  RetrievalEvent | AffirmationEvent | Extract<MemoryEvent, { type: 'MemoryErased' }>
>;

const counters = new Table('usage', {
  columns: {
    tenant: 'text',
    memory_id: 'uuid',
    accesses: 'bigint',
    last_accessed_at: 'timestamptz?',
    feedbacks: 'bigint',
    feedback_sum: 'bigint',
  },
  key: ['tenant', 'memory_id'],
  combined: { accesses: 'sum', last_accessed_at: 'max', feedbacks: 'sum', feedback_sum: 'sum' },
});

const affirmed = new Table('usage_affirmations', {
  columns: {
    tenant: 'text',
    memory_id: 'uuid',
    position: 'bigint',
    affirmations: 'integer',
    // ISO time, as it is shown.
    affirmed_at: 'text',
  },
  key: ['tenant', 'memory_id', 'position'],
});

const erasures = new ErasedMemories('usage_erasures');

type Use = Draft<Row<typeof counters>>;

/**
 * How often each memory was returned or put into a context, and its feedback. Only sums and a maximum, since the events come from many
 * streams in any order. Feedback is summed in thousandths, so that sums are exact. The erasure of a memory deletes its row, and what
 * is applied later counts nothing for it. Affirmations are rows of their own, so that a search as of a position finds those of then.
 */
export const usage: Projection = {
  name: 'usage',
  version: 3,
  handles: ['MemoriesAccessed', 'FeedbackGiven', 'MemoryAffirmed', 'MemoryErased'],
  ...declaredBy(counters, affirmed, erasures.table),
  plan: (events, _, tables) => Promise.resolve(plan(events as readonly Handled[], tables)),
  holds: (tables) => rowsWith([tables(counters.name), ofMemory], [tables(affirmed.name), ofMemory]),
};

function plan(events: readonly Handled[], tables: Tables): Write {
  const gone: MemoryKey[] = [];
  const uses = new Map<string, Use>();
  const useOf = (tenant: string, memoryId: string): Use => {
    const key = `${tenant}/${memoryId}`;
    const none = { accesses: 0, last_accessed_at: undefined, feedbacks: 0, feedback_sum: 0 };
    const use = uses.get(key) ?? { tenant, memory_id: memoryId, ...none };
    uses.set(key, use);
    return use;
  };
  const affirmations: Row<typeof affirmed>[] = [];
  for (const { event, metadata, position, time } of events) {
    if (event.type === 'MemoriesAccessed') {
      for (const memoryId of event.data.memoryIds) {
        const use = useOf(metadata.tenant, memoryId);
        use.accesses++;
        if (use.last_accessed_at === undefined || time > use.last_accessed_at) use.last_accessed_at = time;
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
    removeRows(tables, counters, gone),
    remove(tables(affirmed.name), memoryKeys, gone),
    erasures.upsertOthers(tables, affirmed, affirmations),
    erasures.upsertOthers(tables, counters, rows),
  );
}
