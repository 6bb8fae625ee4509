import { columnOf, type ColumnType } from '../support/columns.ts';

/** Types that are bound as text and cast: `text[]` from a list, `json` from JSON text. */
const casts = { 'text[]': '::text[]', json: '::jsonb' } as const;

/** A type that is bound as it is stored, or `json`: stored as `jsonb` and bound as JSON text, for values that are written as text already. */
export type StoredType = ColumnType | keyof typeof casts;

/** The type of a column; with `?` it may be null. */
export type Column = StoredType | `${StoredType}?`;
export type Columns = Readonly<Record<string, Column>>;

/** The type of a column without its `?`. */
export function storedType(column: Column): StoredType {
  return column.replace('?', '') as StoredType;
}

/** Rows as a table in a statement, with each column bound as one array: three times as fast as `jsonb_to_recordset`. */
export class Recordset {
  /** The column names in order, for `insert` and `select`. */
  readonly names: string;
  readonly #columns: readonly (readonly [name: string, type: StoredType])[];

  constructor(columns: Columns) {
    this.#columns = Object.entries(columns).map(([name, column]) => [name, storedType(column)]);
    this.names = Object.keys(columns).join(', ');
  }

  /** Number of parameters, from `$1` on. Other parameters follow them. */
  get size(): number {
    return this.#columns.length;
  }

  /** The table as `alias`, with an additional column `extra` whose array the statement builds from other parameters. */
  as(alias: string, extra?: { readonly name: string; readonly array: string }): string {
    const arrays = this.#columns.map(([, type], index) => `$${1 + index}::${isCast(type) ? 'text' : type}[]`);
    const names = extra ? `${this.names}, ${extra.name}` : this.names;
    const table = `unnest(${[...arrays, ...(extra ? [extra.array] : [])].join(', ')})`;
    if (!this.#columns.some(([, type]) => isCast(type))) return `${table} as ${alias}(${names})`;
    const values = this.#columns.map(([name, type]) => (isCast(type) ? `${name}${casts[type]}` : name));
    const selected = [...values, ...(extra ? [extra.name] : [])].join(', ');
    return `(select ${selected} from ${table} as bound(${names})) as ${alias}(${names})`;
  }

  /** A condition that two rows are equal in all columns. */
  equal(left: string, right: string): string {
    return this.#columns.map(([name]) => `${left}.${name} = ${right}.${name}`).join(' and ');
  }

  /** The parameters of the table. Missing columns become null. */
  bind(rows: readonly object[]): Uint8Array[] {
    return this.#columns.map(([name, type]) => {
      const values = (rows as readonly Readonly<Record<string, unknown>>[]).map((row) => row[name]);
      if (type === 'text[]') return columnOf('text', (values as (readonly string[])[]).map(arrayText));
      return columnOf(type === 'json' ? 'text' : type, values);
    });
  }
}

function isCast(type: StoredType): type is keyof typeof casts {
  return type in casts;
}

function arrayText(list: readonly string[]): string {
  return `{${list.map((item) => `"${item.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Memories by tenant and id, for lookups and deletions. */
export const memoryKeys = new Recordset({ tenant: 'text', memory_id: 'uuid' });
