import type { ControlRecord } from '../../ports/log-copy.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import { migrate } from '../migrate.ts';
import { vaultSchema } from './schema.ts';

type KeyRecord = Exclude<ControlRecord, { readonly kind: 'lease' }>;
type SubjectKey = Extract<ControlRecord, { readonly kind: 'subject-key' }>;
type DataKey = Extract<ControlRecord, { readonly kind: 'data-key' }>;

const pageSize = 5_000;
const base64 = (column: string) => `translate(encode(${column}, 'base64'), E'\\n', '')`;
const stored = `${base64('wrapped')} as wrapped, destroyed_at as "destroyedAt"`;

/** The vault as it is stored, in pages, with its keys encrypted and the tombstones of those that were destroyed. */
export async function* readVault(sql: Sql): AsyncGenerator<readonly KeyRecord[]> {
  await migrate(sql, 'vault', vaultSchema);
  const proofs = await sql.query<{ proof: string }>(`select ${base64('proof')} as proof from control.vault`);
  yield proofs.map(({ proof }) => ({ kind: 'vault', proof }));
  // Subjects first: their keys open those of the data.
  for (let last = ['', '']; ;) {
    const rows = await sql.query<Row<SubjectKey>>(
      `select tenant, subject, ${stored} from control.subject_keys
       where (tenant, subject) > ($1, $2) order by tenant, subject limit ${pageSize}`,
      last,
    );
    if (rows.length === 0) break;
    yield rows.map((row) => ({ kind: 'subject-key', ...present(row) }));
    last = [rows.at(-1)!.tenant, rows.at(-1)!.subject];
  }
  for (let last = ['', '']; ;) {
    const rows = await sql.query<Row<DataKey>>(
      `select tenant, id, subject, ${stored} from control.data_keys
       where (tenant, id) > ($1, $2) order by tenant, id limit ${pageSize}`,
      last,
    );
    if (rows.length === 0) break;
    yield rows.map((row) => ({ kind: 'data-key', ...present(row) }));
    last = [rows.at(-1)!.tenant, rows.at(-1)!.id];
  }
}

/** Whether the vault in this database has no key yet. Creates its tables if they are missing. */
export async function isVaultEmpty(sql: Sql): Promise<boolean> {
  await migrate(sql, 'vault', vaultSchema);
  const rows = await sql.query('select 1 from control.data_keys limit 1');
  return rows.length === 0;
}

/** Removes all keys: the caller has made sure that nothing needs them. */
export async function emptyVault(sql: Sql): Promise<void> {
  await sql.query('truncate control.vault, control.subject_keys, control.data_keys');
}

/** Writes keys and tombstones as `readVault` gave them. */
export async function writeVault(sql: SqlExecutor, records: readonly KeyRecord[]): Promise<void> {
  for (const [kind, insert] of Object.entries(inserts)) {
    const rows = records.filter((record) => record.kind === kind);
    if (rows.length > 0) await sql.query(insert, [JSON.stringify(rows)]);
  }
}

const inserts = {
  vault: `insert into control.vault (proof) select decode(proof, 'base64') from json_to_recordset($1::text::json) as r(proof text)`,
  'subject-key': `insert into control.subject_keys (tenant, subject, wrapped, destroyed_at)
    select tenant, subject, decode(wrapped, 'base64'), "destroyedAt"
    from json_to_recordset($1::text::json) as r(tenant text, subject text, wrapped text, "destroyedAt" timestamptz)`,
  'data-key': `insert into control.data_keys (tenant, id, subject, wrapped, destroyed_at)
    select tenant, id, subject, decode(wrapped, 'base64'), "destroyedAt"
    from json_to_recordset($1::text::json) as r(tenant text, id text, subject text, wrapped text, "destroyedAt" timestamptz)`,
};

type Row<R> = { [Field in keyof Omit<R, 'kind' | 'destroyedAt'>]: NonNullable<R[Field]> } & {
  readonly destroyedAt: Date | null;
};

/** Without the columns that are null. */
function present<R extends { readonly destroyedAt: Date | null }>({ destroyedAt, ...row }: R) {
  const fields = Object.entries(row).filter(([, value]) => value !== null);
  const shown = Object.fromEntries(fields) as Omit<R, 'destroyedAt'>;
  return { ...shown, ...(destroyedAt && { destroyedAt: destroyedAt.toISOString() }) };
}
