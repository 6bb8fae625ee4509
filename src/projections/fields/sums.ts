import { createHash } from 'node:crypto';
import { decidingKeys } from '../../domain/access/visibility.ts';
import type { Scope } from '../../domain/layers.ts';
import { kindOf } from '../../domain/routing/planner/ordered-values.ts';
import { keyOf, type FieldValue } from '../../domain/routing/vocabulary.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { Tables } from '../projection.ts';
import { Recordset } from '../recordset.ts';
import { scopeColumnTypes, scopeRow } from '../scope-columns.ts';
import type { Held, HeldChange } from './held.ts';

/** How many memories more or less have a value, of those that the same callers see. */
interface Sum {
  readonly tenant: string;
  /** Of place, field and value: they are longer together than a key of an index may be. */
  readonly id: string;
  readonly field: string;
  readonly value: FieldValue;
  readonly key: string;
  readonly kind: string;
  memories: number;
  readonly [scopeColumn: string]: unknown;
}

export function sumsOf(changes: ReadonlyMap<string, HeldChange>): Sum[] {
  const all = new Map<string, Sum>();
  for (const { before, after } of changes.values()) {
    if (before === after) continue;
    take(all, before, -1);
    take(all, after, 1);
  }
  // One order for all writers: two of them never wait for each other in a circle.
  return [...all.values()].filter(({ memories }) => memories !== 0).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function take(sums: Map<string, Sum>, row: Held | undefined, sign: number): void {
  if (!row?.active) return;
  const { tenant, layer, scope } = row;
  const place: Scope = Object.fromEntries(
    decidingKeys(layer).flatMap((key) => (scope[key] === undefined ? [] : [[key, scope[key]]])),
  );
  for (const { field, value } of row.held) {
    const id = idOf([layer, place, field, value]);
    const known = sums.get(`${tenant}/${id}`);
    if (known) known.memories += sign;
    else {
      const [key, kind] = [keyOf(value), kindOf(value)];
      sums.set(`${tenant}/${id}`, {
        tenant,
        id,
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

function idOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

const changed = new Recordset({
  tenant: 'text',
  id: 'uuid',
  ...scopeColumnTypes,
  field: 'text',
  value: 'jsonb',
  key: 'text',
  kind: 'text',
  memories: 'bigint',
});
const ids = new Recordset({ tenant: 'text', id: 'uuid' });

export async function writeSums(rows: readonly Sum[], tx: SqlExecutor, tables: Tables): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `insert into ${tables('fields')} as f (${changed.names})
     select ${changed.names} from ${changed.as('changed')}
     on conflict (tenant, id) do update set memories = f.memories + excluded.memories`,
    changed.bind(rows),
  );
  const fallen = rows.filter(({ memories }) => memories < 0).map(({ tenant, id }) => ({ tenant, id }));
  if (fallen.length === 0) return;
  await tx.query(
    `delete from ${tables('fields')} f using ${ids.as('fallen')}
     where f.tenant = fallen.tenant and f.id = fallen.id and f.memories = 0`,
    ids.bind(fallen),
  );
}
