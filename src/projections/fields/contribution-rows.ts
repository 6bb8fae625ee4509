import type { Tables } from '../../read-models/table.ts';
import { memoryKeys, Recordset } from '../../read-models/recordset.ts';
import { insert, remove, together, type Write } from '../write.ts';
import type { FieldContributions, ContributionChange } from './field-contributions.ts';

const written = new Recordset({
  tenant: 'text',
  memory_id: 'uuid',
  layer: 'text',
  scope: 'jsonb',
  occurred_at: 'text',
  active: 'boolean',
  held: 'jsonb',
});

export function writeContributions(changes: ReadonlyMap<string, ContributionChange>, tables: Tables): Write {
  const present: FieldContributions[] = [];
  const gone: Pick<FieldContributions, 'tenant' | 'memory_id'>[] = [];
  for (const { before, after } of changes.values()) {
    if (after && after !== before) present.push(after);
    if (before && !after) gone.push({ tenant: before.tenant, memory_id: before.memory_id });
  }
  return together(
    insert(
      tables('fields_held'),
      written,
      present,
      'on conflict (tenant, memory_id) do update set active = excluded.active, held = excluded.held',
    ),
    remove(tables('fields_held'), memoryKeys, gone),
  );
}
