import { hash } from 'node:crypto';
import { visibilityKeys } from '../../domain/access/visibility.ts';
import type { Scope } from '../../domain/layers.ts';
import { kindOf } from '../../domain/routing/planner/ordered-values.ts';
import { keyOf } from '../../domain/routing/vocabulary.ts';
import { Table, type Draft, type Row, type Tables } from '../../read-models/table.ts';
import { eachInSlices } from '../each-in-slices.ts';
import { scopeColumnNames, scopeColumns, scopeRow } from '../scope-columns.ts';
import { removeRows, together, upsert, type Write } from '../write.ts';
import type { FieldContributions, ContributionChange } from './field-contributions.ts';

/**
 * Numbers of memories with a value, among memories that the same callers see. `id` is a hash of place, field and value: together they
 * may be too long for an index key.
 */
export const fieldSums = new Table('fields', {
  columns: {
    tenant: 'text',
    id: 'uuid',
    ...scopeColumns,
    field: 'text',
    value: 'jsonb',
    key: 'text',
    kind: 'text',
    memories: 'bigint',
  },
  key: ['tenant', 'id'],
  indexes: ['(tenant, key)', `(tenant, kind) where kind = 'version'`],
  combined: { memories: 'sum' },
  undigested: [...scopeColumnNames, 'key', 'kind'],
});

/** A change of such a number. */
type Sum = Draft<Row<typeof fieldSums>>;

export async function sumsOf(changes: ReadonlyMap<string, ContributionChange>): Promise<Sum[]> {
  const all = new Map<string, Sum>();
  await eachInSlices([...changes.values()], ({ before, after }) => {
    if (before === after) return;
    add(all, before, -1);
    add(all, after, 1);
  });
  // In a fixed order, so that two writers cannot deadlock.
  return [...all.values()].filter(({ memories }) => memories !== 0).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function add(sums: Map<string, Sum>, row: FieldContributions | undefined, sign: number): void {
  if (!row?.active) return;
  const { tenant, layer, scope } = row;
  const place: Scope = Object.fromEntries(
    visibilityKeys(layer).flatMap((key) => (scope[key] === undefined ? [] : [[key, scope[key]]])),
  );
  for (const { field, value } of row.held) {
    const parts = JSON.stringify([layer, place, field, value]);
    const known = sums.get(`${tenant}/${parts}`);
    if (known) known.memories += sign;
    else {
      const [key, kind] = [keyOf(value), kindOf(value)];
      sums.set(`${tenant}/${parts}`, {
        tenant,
        id: hash('sha256', parts, 'hex').slice(0, 32),
        ...scopeRow(layer, place),
        field,
        value,
        key,
        kind,
        memories: sign,
      });
    }
  }
}

export function writeSums(rows: readonly Sum[], tables: Tables): Write {
  const decreased = rows.filter(({ memories }) => memories < 0);
  return together(
    upsert(tables, fieldSums, rows),
    removeRows(tables, fieldSums, decreased, 't.memories = 0'),
  );
}
