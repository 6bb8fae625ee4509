import type { MemoryEvent } from '../../domain/memory/events.ts';
import { isWithheld } from '../../domain/trust/trust.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { memoryKey, memoryOf } from '../memory-rows.ts';
import { scopeRow } from '../scope-columns.ts';
import type { IndexedTexts } from './indexed-text.ts';
import type { TextRow } from './text-rows.ts';
import { updatedSpeaker, turnOf } from './turn.ts';

/** The row of a memory after a batch. */
export interface TextChange {
  readonly tenant: string;
  readonly memoryId: string;
  /** Revision of the row or, if the memory is erased, of its erasure. It does not depend on how the log is split into batches. */
  readonly revision: number;
  /** Undefined if the memory is erased. */
  readonly row: TextRow | undefined;
}

/** The rows that `facts` change, by key. `before` are the current rows. */
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

/** The changes of texts. A lexical index does not need changes of metadata alone. */
export function textChangesOf(
  changes: ReadonlyMap<string, TextChange>,
  before: ReadonlyMap<string, TextRow>,
): TextChange[] {
  return [...changes]
    .filter(([key, { row }]) => row === undefined || row.revision !== before.get(key)?.revision)
    .map(([, change]) => change);
}

/** The row after an event of a memory that is not erased; the same object if the event does not change it. */
function next(
  row: TextRow | undefined,
  fact: LoadedEvent<MemoryEvent>,
  texts: IndexedTexts,
): TextRow | undefined {
  const { event, metadata, position, revision } = fact;
  switch (event.type) {
    case 'MemoryStored':
      return inPlace(isWithheld(event.data), {
        tenant: metadata.tenant,
        memory_id: event.data.memoryId,
        ...scopeRow(event.data.layer, event.data.scope),
        ...turnOf({ ...fact, event }),
        revision,
        shelved: undefined,
        ...texts.get(position)!,
      });
    case 'MemoryUpdated': {
      const text = texts.get(position);
      if (!row) return row;
      const spoken = updatedSpeaker(row, event.data);
      const { trust } = event.data;
      const withheld = trust ? isWithheld({ trust }) : row.body === undefined;
      if (text) return inPlace(withheld, { ...row, ...spoken, ...text, shelved: undefined, revision });
      if (trust && withheld !== (row.body === undefined))
        return inPlace(withheld, { ...row, ...spoken, revision });
      return Object.keys(spoken).length > 0 ? { ...row, ...spoken } : row;
    }
    case 'MemoryDeleted':
    case 'MemoryArchived':
      if (row?.body === undefined) return row;
      return { ...row, body: undefined, shelved: row.body, revision };
    case 'MemoryRestored':
    case 'MemoryUnarchived':
      if (row?.shelved === undefined) return row;
      return { ...row, body: row.shelved, shelved: undefined, revision };
    case 'MemoryReviewed': {
      const withheld = isWithheld(event.data);
      if (!row || withheld === (row.body === undefined)) return row;
      return inPlace(withheld, { ...row, revision });
    }
    case 'MemoryErased':
      return undefined;
    default:
      return event satisfies never;
  }
}

/** The text of a row in `body`, where searches find it, or in `shelved`. */
function inPlace(isShelved: boolean, row: TextRow): TextRow {
  const text = row.body ?? row.shelved;
  return isShelved ? { ...row, body: undefined, shelved: text } : { ...row, body: text, shelved: undefined };
}
