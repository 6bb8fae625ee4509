import { textHash } from '../support/text-hash.ts';
import { protect, type Tables } from '../read-models/table.ts';
import { Recordset, type RecordsetType } from '../read-models/recordset.ts';
import { insert, nothing, statement, type Write } from './write.ts';

export interface MemoryKey {
  readonly tenant: string;
  readonly memory_id: string;
}

/** `erased` is a hash of the memory's id, so that no row names an erased memory. */
const columns = { tenant: 'text', erased: 'text' } as const;
const added = new Recordset(columns);
const named = new Recordset({ ...columns, memory_id: 'uuid' });

/**
 * Table of the erased memories, for a read model whose rows about a memory come from other streams than the memory's own. Such an event
 * may be applied after the erasure, and must not bring a row back.
 *
 * Whether a memory is erased is decided by the statement that writes, not in `plan`: another process may apply the erasure, which is in
 * another partition, between the two. Transactions of a generation run one at a time.
 */
export class ErasedMemories {
  readonly table: string;

  constructor(table: string) {
    this.table = table;
  }

  create(tables: Tables): readonly string[] {
    return [
      `create table ${tables(this.table)} (
        tenant text not null,
        erased text not null,
        primary key (tenant, erased)
      )`,
      ...protect(tables(this.table)),
    ];
  }

  /** The columns to digest. */
  get columns(): typeof columns {
    return columns;
  }

  /** Must be written before the rows of other memories in the same transaction. */
  add(tables: Tables, gone: readonly MemoryKey[]): Write {
    return insert(tables(this.table), added, gone.map(erasureOf), 'on conflict (tenant, erased) do nothing');
  }

  /** Inserts rows about memories into `table`, which `conflict` refers to as `t`, except those of erased memories. */
  insertOthers(
    tables: Tables,
    table: string,
    types: Readonly<Record<string, RecordsetType>>,
    rows: readonly MemoryKey[],
    conflict: string,
  ): Write {
    if (rows.length === 0) return nothing;
    const names = Object.keys(types).join(', ');
    const bound = new Recordset({ ...types, erased: 'text' });
    return statement(
      `insert into ${tables(table)} as t (${names}) select ${names} from ${bound.as('added')}
       where not exists (
         select 1 from ${tables(this.table)} e where e.tenant = added.tenant and e.erased = added.erased)
       ${conflict}`,
      bound.bind(rows.map((row) => ({ ...row, ...erasureOf(row) }))),
    );
  }

  /** SQL for those of the memories bound by `bind` that are erased, as `tenant, memory_id`. */
  among(tables: Tables): string {
    return `select distinct named.tenant, named.memory_id from ${named.as('named')}
      join ${tables(this.table)} e on e.tenant = named.tenant and e.erased = named.erased`;
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
