import { digestOf, type Digested } from './digest.ts';
import { Recordset, storedType, type Column, type Columns, type StoredType } from './recordset.ts';

/** The full names of one generation's tables: `tables('memories')` is `read.memories_g3`. */
export type Tables = (table: string) => string;

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
  /** Name and type of each column. The digest depends on their order. */
  readonly columns: Declared;
  /** The columns of the primary key. */
  readonly key: readonly Key[];
  /** Collations other than that of the database. */
  readonly collations?: { readonly [Name in keyof Declared]?: string };
  /** To what percentage pages are filled at first: in the rest, updates write new versions of rows without touching the indexes. */
  readonly fillfactor?: number;
  /** What follows `create index on TABLE` for each index. */
  readonly indexes?: readonly string[];
  readonly uniqueIndexes?: readonly string[];
  /** How a row is combined with the stored one of the same key, in these columns only. By default it replaces the stored one. */
  readonly combined?: { readonly [Name in keyof Declared]?: keyof typeof combinations };
  /** Columns that equal generations may have different values in, or that follow from the others. */
  readonly undigested?: readonly (keyof Declared & string)[];
  /** SQL condition on the rows that equal generations have in common; by default all. */
  readonly digestedRows?: string;
}

/** SQL for the value of a column, from that of the stored row `t` and that of the written one. */
const combinations = {
  sum: (column: string) => `t.${column} + excluded.${column}`,
  max: (column: string) => `greatest(t.${column}, excluded.${column})`,
} as const;

/** The one declaration of a read model's table: its DDL, how rows are bound and found, its digest and the type of its rows follow from it. */
export class Table<Declared extends Columns = Columns, Key extends keyof Declared & string = string> {
  readonly name: string;
  readonly columns: Declared;
  /** All columns, to write rows. */
  readonly rows: Recordset;
  /** The columns of the primary key, to find rows. */
  readonly keys: Recordset;
  /** `on conflict` clause that replaces a row with the same key, called `t`, or combines it with the new one. */
  readonly onConflict: string;
  readonly #declaration: Declaration<Declared, Key>;

  constructor(name: string, declaration: Declaration<Declared, Key>) {
    const { columns, key } = declaration;
    this.name = name;
    this.columns = columns;
    this.#declaration = declaration;
    this.rows = new Recordset(columns);
    this.keys = this.pick(...key);
    this.onConflict = onConflict(declaration);
  }

  /** Some columns, to bind a part of rows. */
  pick(...names: readonly (keyof Declared & string)[]): Recordset {
    return new Recordset(Object.fromEntries(names.map((name) => [name, this.columns[name]!])));
  }

  /**
   * SQL statements that create the table of a generation with its indexes, and hide the rows of other tenants. `others` are columns as
   * SQL that are not declared, such as a vector of a dimension that is only known at run time.
   */
  create(tables: Tables, ...others: readonly string[]): readonly string[] {
    const { columns, key, collations = {}, fillfactor, uniqueIndexes = [], indexes = [] } = this.#declaration;
    const table = tables(this.name);
    const lines = [...columnDefinitions(columns, collations), ...others, `primary key (${key.join(', ')})`];
    return [
      `create table ${table} (${lines.join(', ')})${fillfactor ? ` with (fillfactor = ${fillfactor})` : ''}`,
      ...uniqueIndexes.map((index) => `create unique index on ${table} ${index}`),
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
  digest(tables: Tables): string {
    const { columns, undigested = [], digestedRows } = this.#declaration;
    const digested = Object.entries<Column>(columns)
      .filter(([name]) => !undigested.includes(name))
      .map(([name, column]) => [name, sqlType(column)]);
    return digestOf(tables(this.name), Object.fromEntries(digested) as Digested, digestedRows);
  }
}

/** Any declared table, without the type of its rows. */
export type AnyTable = Pick<Table, 'name' | 'rows' | 'keys' | 'onConflict' | 'create' | 'digest'>;

/** The rows of a table. */
export type Row<Of> = Of extends Table<infer Declared> ? RowOf<Declared> : never;

/** A row whose columns may still change, before it is written. */
export type Draft<Of> = { -readonly [Name in keyof Of]: Of[Name] };

function sqlType(column: Column): string {
  const type = storedType(column);
  return type === 'json' ? 'jsonb' : type;
}

/** Columns as they are defined in DDL. */
function columnDefinitions(
  columns: Columns,
  collations: Readonly<Record<string, string | undefined>> = {},
): readonly string[] {
  return Object.entries(columns).map(([name, column]) => {
    const collation = collations[name] === undefined ? '' : ` collate "${collations[name]}"`;
    return `${name} ${sqlType(column)}${collation}${column.endsWith('?') ? '' : ' not null'}`;
  });
}

function onConflict<Declared extends Columns, Key extends keyof Declared & string>({
  columns,
  key,
  combined,
}: Declaration<Declared, Key>): string {
  const others = Object.keys(columns).filter((name) => !key.includes(name as Key));
  const set = combined
    ? Object.entries(combined).map(([name, how]) => `${name} = ${combinations[how!](name)}`)
    : others.map((name) => `${name} = excluded.${name}`);
  return `on conflict (${key.join(', ')}) do ${set.length === 0 ? 'nothing' : `update set ${set.join(', ')}`}`;
}

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
