import type { Layer, Scope } from '../../domain/layers.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { fieldValuesOf, type FieldValuePair } from '../../domain/routing/field-values.ts';
import { isWithheld } from '../../domain/trust/trust.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Row, type Tables } from '../../read-models/table.ts';
import { memoryKey, memoryOf } from '../memory-rows.ts';
import { eachInSlices } from '../each-in-slices.ts';
import { removeRows, together, upsert, type Write } from '../write.ts';

/** The field values that one memory contributes to the sums: enough to subtract it again. */
export const contributions = new Table('fields_held', {
  columns: {
    tenant: 'text',
    memory_id: 'uuid',
    layer: 'text',
    scope: 'jsonb',
    occurred_at: 'text?',
    active: 'boolean',
    held: 'jsonb',
  },
  key: ['tenant', 'memory_id'],
  undigested: ['layer', 'scope', 'occurred_at'],
});

export interface FieldContributions extends Row<typeof contributions> {
  readonly layer: Layer;
  readonly scope: Scope;
  readonly held: readonly FieldValuePair[];
}

/** A memory before and after a batch; undefined if it does not exist or is erased. */
export interface ContributionChange {
  readonly before: FieldContributions | undefined;
  readonly after: FieldContributions | undefined;
}

/** The changes of a batch, by memory. `before` are the current rows. */
export async function changesOf(
  facts: readonly LoadedEvent<MemoryEvent>[],
  before: ReadonlyMap<string, FieldContributions>,
): Promise<ReadonlyMap<string, ContributionChange>> {
  const changes = new Map<string, ContributionChange>();
  await eachInSlices(facts, (fact) => {
    const key = memoryKey(memoryOf(fact));
    const first = changes.get(key)?.before ?? before.get(key);
    const now = changes.has(key) ? changes.get(key)!.after : first;
    changes.set(key, { before: first, after: fact.erased ? undefined : next(now, fact) });
  });
  return changes;
}

function next(
  row: FieldContributions | undefined,
  { event, metadata }: LoadedEvent<MemoryEvent>,
): FieldContributions | undefined {
  switch (event.type) {
    case 'MemoryStored': {
      const { memoryId, layer, scope, occurredAt } = event.data;
      return {
        tenant: metadata.tenant,
        memory_id: memoryId,
        layer,
        scope,
        occurred_at: occurredAt,
        active: !isWithheld(event.data),
        held: fieldValuesOf(event.data),
      };
    }
    case 'MemoryUpdated': {
      if (!row) return row;
      const { metadata: changed, trust } = event.data;
      if (changed === undefined && trust === undefined) return row;
      const { scope, occurred_at: occurredAt } = row;
      return {
        ...row,
        ...(trust && { active: !isWithheld({ trust }) }),
        ...(changed && { held: fieldValuesOf({ scope, metadata: changed, occurredAt }) }),
      };
    }
    case 'MemoryDeleted':
    case 'MemoryArchived':
      return row && { ...row, active: false };
    case 'MemoryRestored':
    case 'MemoryUnarchived':
      return row && { ...row, active: true };
    case 'MemoryReviewed':
      return row && { ...row, active: !isWithheld(event.data) };
    case 'MemoryErased':
      return undefined;
    default:
      return event satisfies never;
  }
}

export function writeContributions(changes: ReadonlyMap<string, ContributionChange>, tables: Tables): Write {
  const present: FieldContributions[] = [];
  const gone: FieldContributions[] = [];
  for (const { before, after } of changes.values()) {
    if (after && after !== before) present.push(after);
    if (before && !after) gone.push(before);
  }
  return together(upsert(tables, contributions, present), removeRows(tables, contributions, gone));
}
