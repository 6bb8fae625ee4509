import { digestOf, type Digested } from './digest.ts';
import { Recordset, type RecordsetType } from './recordset.ts';

/** The full names of one generation's tables: `tables('memories')` is `read.memories_g3`. */
export type Tables = (table: string) => string;

/** A type that is bound as it is stored, or `json`: stored as `jsonb` and bound as JSON text, for values that are written as text already. */
export type StoredType = RecordsetType;

/** The type of a column; with `?` it may be null. */
export type Column = StoredType | `${StoredType}?`;
export type Columns = Readonly<Record<string, Column>>;

interface Values {
  readonly text: string;
  readonly uuid: string;
  readonly integer: number;
  readonly bigint: number;
  readonly boolean: boolean;
  readonly 'double precision': number;
  readonly timestamptz: Date;
  readonly jsonb: unknown;
  readonly json: string;
  readonly 'text[]': readonly string[];
}

type ValueOf<Type extends Column> = Type extends `${infer Stored extends StoredType}?`
  ? Values[Stored] | undefined
  : Type extends StoredType
    ? Values[Type]
    : never;

/** A row as it is written: the columns without a value are undefined. */
export type RowOf<Declared extends Columns> = { readonly [Name in keyof Declared]: ValueOf<Declared[Name]> };

interface Declaration<Declared extends Columns, Key extends keyof Declared & string> {
  /** Name and type of each column, in order. */
  readonly columns: Declared;
  /** The columns of the primary key. */
  readonly key: readonly Key[];
  /** What follows `create index on TABLE` for each index. */
  readonly indexes?: readonly string[];
  /** Columns that equal generations may have different values in. */
  readonly undigested?: readonly (keyof Declared & string)[];
  /** Columns as SQL that no row is written with, such as a vector of a dimension that is only known at run time. */
  readonly others?: readonly string[];
}

/** The one declaration of a read model's table: its DDL, how rows are bound and found, its digest and the type of its rows follow from it. */
export class Table<Declared extends Columns = Columns, Key extends keyof Declared & string = string> {
  readonly name: string;
  /** All columns, to write rows. */
  readonly rows: Recordset;
  /** The columns of the primary key, to find rows. */
  readonly keys: Recordset;
  /** `on conflict` clause that replaces a row with the same key. */
  readonly replacing: string;
  readonly #declaration: Declaration<Declared, Key>;
  readonly #types: Readonly<Record<string, StoredType>>;

  constructor(name: string, declaration: Declaration<Declared, Key>) {
    const { columns, key } = declaration;
    this.name = name;
    this.#declaration = declaration;
    this.#types = Object.fromEntries(
      Object.entries(columns).map(([column, type]) => [column, type.replace('?', '') as StoredType]),
    );
    this.rows = new Recordset(this.#types);
    this.keys = new Recordset(Object.fromEntries(key.map((column) => [column, this.#types[column]!])));
    const others = Object.keys(columns).filter((column) => !key.includes(column as Key));
    const set = others.map((column) => `${column} = excluded.${column}`).join(', ');
    this.replacing = `on conflict (${key.join(', ')}) do ${set === '' ? 'nothing' : `update set ${set}`}`;
  }

  /** SQL statements that create the table of a generation with its indexes, and hide the rows of other tenants. */
  create(tables: Tables): readonly string[] {
    const { columns, key, indexes = [], others = [] } = this.#declaration;
    const table = tables(this.name);
    const lines = Object.entries(columns).map(([column, type]) => {
      const stored = this.#types[column]!;
      return `${column} ${stored === 'json' ? 'jsonb' : stored}${type.endsWith('?') ? '' : ' not null'}`;
    });
    return [
      `create table ${table} (${[...lines, ...others, `primary key (${key.join(', ')})`].join(', ')})`,
      ...indexes.map((index) => `create index on ${table} ${index}`),
      ...protect(table),
    ];
  }

  /** A row that was read, as it was written: columns with null are undefined. */
  rowOf(stored: Readonly<Record<string, unknown>>): RowOf<Declared> {
    const columns = Object.entries(stored).map(([column, value]) => [column, value ?? undefined]);
    return Object.fromEntries(columns) as RowOf<Declared>;
  }

  /** A query for the digest of the table's rows, see `digestOf`. */
  digest(tables: Tables, where?: string): string {
    const { undigested = [] } = this.#declaration;
    const digested = Object.entries(this.#types)
      .filter(([column]) => !undigested.includes(column))
      .map(([column, type]) => [column, type === 'json' ? 'jsonb' : type]);
    return digestOf(tables(this.name), Object.fromEntries(digested) as Digested, where);
  }
}

/** The rows of a table. */
export type Row<Of> = Of extends Table<infer Declared> ? RowOf<Declared> : never;

/** The query role sees the rows of the caller's tenant, and none without a tenant. */
export function protect(table: string): readonly string[] {
  return [
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `create policy own_tenant on ${table} for select to stratalog_query using (tenant = current_setting('app.tenant', true))`,
    `create policy owner on ${table} to current_user using (true) with check (true)`,
    `grant select on ${table} to stratalog_query`,
  ];
}
