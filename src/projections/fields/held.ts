import type { Layer, Scope } from '../../domain/layers.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { fieldValuesOf, type HeldValue } from '../../domain/routing/field-values.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { memoryKey, memoryOf } from '../memory-rows.ts';
import { inTurns } from '../turns.ts';

/** What is counted of one memory: enough to take it out of the sums again. */
export interface Held {
  readonly tenant: string;
  readonly memory_id: string;
  readonly layer: Layer;
  readonly scope: Scope;
  readonly occurred_at?: string | null;
  readonly active: boolean;
  readonly held: readonly HeldValue[];
}

/** What a batch makes of a memory; undefined: not there, or erased. */
export interface HeldChange {
  readonly before: Held | undefined;
  readonly after: Held | undefined;
}

/** By memory. `before` are the rows as they stand. */
export async function changesOf(
  facts: readonly LoadedEvent<MemoryEvent>[],
  before: ReadonlyMap<string, Held>,
): Promise<ReadonlyMap<string, HeldChange>> {
  const changes = new Map<string, HeldChange>();
  await inTurns(facts, (fact) => {
    const key = memoryKey(memoryOf(fact));
    const first = changes.get(key)?.before ?? before.get(key);
    const now = changes.has(key) ? changes.get(key)!.after : first;
    changes.set(key, { before: first, after: fact.erased ? undefined : next(now, fact) });
  });
  return changes;
}

function next(row: Held | undefined, { event, metadata }: LoadedEvent<MemoryEvent>): Held | undefined {
  switch (event.type) {
    case 'MemoryStored': {
      const { memoryId, layer, scope, occurredAt } = event.data;
      return {
        tenant: metadata.tenant,
        memory_id: memoryId,
        layer,
        scope,
        ...(occurredAt !== undefined && { occurred_at: occurredAt }),
        active: true,
        held: fieldValuesOf(event.data),
      };
    }
    case 'MemoryUpdated': {
      if (!row || event.data.metadata === undefined) return row;
      const { scope, occurred_at: time } = row;
      const occurredAt = time ?? undefined;
      return { ...row, held: fieldValuesOf({ scope, metadata: event.data.metadata, occurredAt }) };
    }
    case 'MemoryDeleted':
      return row && { ...row, active: false };
    case 'MemoryRestored':
      return row && { ...row, active: true };
    case 'MemoryErased':
      return undefined;
    default:
      return event satisfies never;
  }
}
