import { Recordset, type Columns } from '../read-models/recordset.ts';
import { Table, type RowOf, type Tables } from '../read-models/table.ts';
import { textHash } from '../support/text-hash.ts';
import type { MemoryKey } from './memory-rows.ts';
import { nothing, statement, upsert, type Write } from './write.ts';

const named = new Recordset({ tenant: 'text', erased: 'text', memory_id: 'uuid' });

/**
 * Table of the erased memories, for a read model whose rows about a memory come from other streams than the memory's own. Such an event
 * may be applied after the erasure, and must not bring a row back.
 *
 * Whether a memory is erased is decided by the statement that writes, not in `plan`: another process may apply the erasure, which is in
 * another partition, between the two. Transactions of a generation run one at a time.
 */
export class ErasedMemories {
  /** `erased` is a hash of the memory's id, so that no row names an erased memory. */
  readonly table: Table<{ readonly tenant: 'text'; readonly erased: 'text' }>;

  constructor(table: string) {
    this.table = new Table(table, {
      columns: { tenant: 'text', erased: 'text' },
      key: ['tenant', 'erased'],
    });
  }

  /** Must be written before the rows of other memories in the same transaction. */
  add(tables: Tables, gone: readonly MemoryKey[]): Write {
    return upsert(tables, this.table, gone.map(erasureOf));
  }

  /** Like `upsert`, for rows about memories, except those of erased memories. */
  upsertOthers<Declared extends Columns>(
    tables: Tables,
    table: Table<Declared>,
    rows: readonly (RowOf<Declared> & MemoryKey)[],
  ): Write {
    if (rows.length === 0) return nothing;
    const { names } = table.rows;
    const bound = new Recordset({ ...table.columns, erased: 'text' });
    return statement(
      `insert into ${tables(table.name)} as t (${names}) select ${names} from ${bound.as('added')}
       where not exists (
         select 1 from ${tables(this.table.name)} e where e.tenant = added.tenant and e.erased = added.erased)
       ${table.onConflict}`,
      bound.bind(rows.map((row) => ({ ...row, ...erasureOf(row) }))),
    );
  }

  /** SQL for those of the memories bound by `bind` that are erased, as `tenant, memory_id`. */
  among(tables: Tables): string {
    return `select distinct named.tenant, named.memory_id from ${named.as('named')}
      join ${tables(this.table.name)} e on e.tenant = named.tenant and e.erased = named.erased`;
  }

  bind(memories: readonly MemoryKey[]): Uint8Array[] {
    return named.bind(memories.map((memory) => ({ ...memory, ...erasureOf(memory) })));
  }
}

function erasureOf({ tenant, memory_id: id }: MemoryKey): {
  readonly tenant: string;
  readonly erased: string;
} {
  return { tenant, erased: textHash(JSON.stringify([tenant, id])) };
}
