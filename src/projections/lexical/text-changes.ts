import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { memoryKey, memoryOf } from '../memory-rows.ts';
import { scopeRow } from '../scope-columns.ts';
import type { IndexedText, IndexedTexts } from './indexed-text.ts';
import { respoken, turnOf, type Turn } from './turn.ts';

/** A memory's row: `body` where it is active, `shelved` where it is deleted. */
export interface TextRow extends Omit<IndexedText, 'body'>, Turn {
  readonly tenant: string;
  readonly memory_id: string;
  /** Of the event that made the text so, or shelved it. */
  readonly revision: number;
  readonly body?: string;
  readonly shelved?: string;
  readonly [scopeColumn: string]: unknown;
}

/** What a batch makes of a memory's row. */
export interface TextChange {
  readonly tenant: string;
  readonly memoryId: string;
  /** As the row's; of an erased memory, that of its erasure. However the log is cut into batches, it is the same. */
  readonly revision: number;
  /** Undefined where the memory is erased. */
  readonly row: TextRow | undefined;
}

/** The rows that `facts` change, by key. `before` are the rows as they stand. */
export function changesOf(
  facts: readonly LoadedEvent<MemoryEvent>[],
  before: ReadonlyMap<string, TextRow>,
  texts: IndexedTexts,
): ReadonlyMap<string, TextChange> {
  const changes = new Map<string, TextChange>();
  for (const fact of facts) {
    const { tenant } = fact.metadata;
    const { memoryId } = fact.event.data;
    const key = memoryKey(memoryOf(fact));
    const earlier = changes.get(key);
    const row = earlier ? earlier.row : before.get(key);
    const now = isErased(fact) ? undefined : next(row, fact, texts);
    if (now === row && !isErased(fact)) continue;
    changes.set(key, { tenant, memoryId, revision: now?.revision ?? fact.revision, row: now });
  }
  return changes;
}

export function isErased({ event, erased }: LoadedEvent<MemoryEvent>): boolean {
  return erased || event.type === 'MemoryErased';
}

/** Those whose text changed or left: metadata alone say nothing to a lexical index. */
export function textChangesOf(
  changes: ReadonlyMap<string, TextChange>,
  before: ReadonlyMap<string, TextRow>,
): TextChange[] {
  return [...changes]
    .filter(([key, { row }]) => row === undefined || row.revision !== before.get(key)?.revision)
    .map(([, change]) => change);
}

/** The row after an event of a memory that is not erased; the same one where the event does not change it. */
function next(
  row: TextRow | undefined,
  fact: LoadedEvent<MemoryEvent>,
  texts: IndexedTexts,
): TextRow | undefined {
  const { event, metadata, position, revision } = fact;
  switch (event.type) {
    case 'MemoryStored':
      return {
        tenant: metadata.tenant,
        memory_id: event.data.memoryId,
        ...scopeRow(event.data.layer, event.data.scope),
        ...turnOf({ ...fact, event }),
        revision,
        ...texts.get(position)!,
      };
    case 'MemoryUpdated': {
      const text = texts.get(position);
      if (!row) return row;
      const spoken = respoken(row, event.data);
      if (text) return { ...row, ...spoken, ...text, revision };
      return Object.keys(spoken).length > 0 ? { ...row, ...spoken } : row;
    }
    case 'MemoryDeleted': {
      if (row?.body === undefined) return row;
      const { body, ...rest } = row;
      return { ...rest, shelved: body, revision };
    }
    case 'MemoryRestored': {
      if (row?.shelved === undefined) return row;
      const { shelved, ...rest } = row;
      return { ...rest, body: shelved, revision };
    }
    case 'MemoryErased':
      return undefined;
    default:
      return event satisfies never;
  }
}
