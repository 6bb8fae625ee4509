import type { SqlExecutor } from '../../ports/sql.ts';
import type { Columns } from '../../read-models/recordset.ts';
import type { RowOf, Table, Tables } from '../../read-models/table.ts';
import { nothing, statement, type Write } from '../write.ts';

/**
 * An array of vectors bound as parameters after `$last`, null for missing ones. As text a vector needs five times the space, and PostgreSQL in
 * WebAssembly takes .2 ms to parse it.
 */
export function vectorArray(vectors: readonly (Float32Array | undefined)[], last: number) {
  const bound: Float32Array[] = [];
  const elements = vectors.map((vector) => (vector ? `$${last + bound.push(vector)}` : 'null'));
  return { array: `array[${elements.join(', ')}]::vector[]`, bound };
}

/** Inserts rows whose keys are new, with the vector of each in `column`. Does nothing without rows. */
export function insertWithVectors<Declared extends Columns>(
  tables: Tables,
  { name, rows: set }: Table<Declared>,
  rows: readonly RowOf<Declared>[],
  column: string,
  vectors: readonly (Float32Array | undefined)[],
): Write {
  if (rows.length === 0) return nothing;
  const { array, bound } = vectorArray(vectors, set.size);
  return statement(
    `insert into ${tables(name)} (${set.names}, ${column})
     select ${set.names}, ${column} from ${set.as('added', { name: column, array })}`,
    [...set.bind(rows), ...bound],
  );
}

/** Runs the statements that create a table of vectors with its indexes, unless there is one. */
export function createIfMissing(table: string, ...statements: readonly string[]): string {
  return `do $$ begin
    if to_regclass('${table}') is not null then return; end if;
    ${statements.join(';\n')};
  end $$`;
}

/**
 * Adds rows to the index that were left out of it: for each tenant in `grown` as many as its number. `key` are the columns of the
 * primary key after the tenant. The chosen rows are joined by their own tenant: otherwise the planner could choose again for each row,
 * and would then add all of them.
 */
export async function addToIndex(
  tx: SqlExecutor,
  table: string,
  key: readonly string[],
  grown: ReadonlyMap<string, number>,
): Promise<void> {
  if (grown.size === 0) return;
  await tx.query(
    `update ${table} k set in_graph = true
     from unnest($1::text[], $2::integer[]) as grown(tenant, size) cross join lateral (
       select ${['tenant', ...key].map((column) => `a.${column}`).join(', ')} from ${table} a where a.tenant = grown.tenant and not a.in_graph
       order by a.memory_id limit grown.size for update skip locked) apart
     where ${['tenant', ...key].map((column) => `k.${column} = apart.${column}`).join(' and ')}`,
    [[...grown.keys()], [...grown.values()]],
  );
}
