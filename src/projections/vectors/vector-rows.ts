import type { MemoryEvent } from '../../domain/memory/events.ts';
import { isWithheld } from '../../domain/trust/trust.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Row } from '../../read-models/table.ts';
import { textHash } from '../../support/text-hash.ts';
import { memoryKey, memoryOf } from '../memory-rows.ts';
import { scopeColumns, scopeRow } from '../scope-columns.ts';

/** Which text of each memory has a vector in a generation, by the hash of the text, and how many passages it has. */
export const vectorRows = new Table('vectors', {
  columns: {
    tenant: 'text',
    memory_id: 'uuid',
    revision: 'integer',
    ...scopeColumns,
    text_hash: 'text',
    passages: 'integer',
    active: 'boolean',
  },
  key: ['tenant', 'memory_id'],
});

export type VectorRow = Row<typeof vectorRows>;

/** The passages of long texts, by the hash of the text: only their number matters here. */
type PassagesOfText = ReadonlyMap<string, readonly unknown[]>;

/** The rows after the batch, by `memoryKey`; undefined for a memory without a row, or one that is missing in `before`. */
export function rowsAfter(
  events: readonly LoadedEvent<MemoryEvent>[],
  before: ReadonlyMap<string, VectorRow>,
  passages: PassagesOfText,
): ReadonlyMap<string, VectorRow | undefined> {
  const after = new Map<string, VectorRow | undefined>();
  for (const fact of events) {
    const key = memoryKey(memoryOf(fact));
    after.set(key, next(after.has(key) ? after.get(key) : before.get(key), fact, passages));
  }
  return after;
}

export function present(rows: ReadonlyMap<string, VectorRow | undefined>): VectorRow[] {
  return [...rows.values()].filter((row) => row !== undefined);
}

function next(
  row: VectorRow | undefined,
  fact: LoadedEvent<MemoryEvent>,
  passages: PassagesOfText,
): VectorRow | undefined {
  const { event, metadata, revision, erased } = fact;
  if (erased || event.type === 'MemoryErased') return undefined;
  // A text that the batch itself replaces is not divided, and its row is not written.
  const textColumns = (content: string) => {
    const hash = textHash(content);
    return { text_hash: hash, passages: passages.get(hash)?.length ?? 0 };
  };
  switch (event.type) {
    case 'MemoryStored': {
      const { memoryId, layer, scope, content } = event.data;
      return {
        tenant: metadata.tenant,
        memory_id: memoryId,
        revision,
        ...scopeRow(layer, scope),
        ...textColumns(content),
        active: !isWithheld(event.data),
      };
    }
    case 'MemoryUpdated': {
      if (!row) return row;
      const { content, trust } = event.data;
      return {
        ...row,
        revision,
        ...(content !== undefined && textColumns(content)),
        ...(trust && { active: !isWithheld({ trust }) }),
      };
    }
    case 'MemoryDeleted':
    case 'MemoryArchived':
      return row && { ...row, revision, active: false };
    case 'MemoryRestored':
    case 'MemoryUnarchived':
      return row && { ...row, revision, active: true };
    case 'MemoryReviewed':
      return row && { ...row, revision, active: !isWithheld(event.data) };
    default:
      return event satisfies never;
  }
}
