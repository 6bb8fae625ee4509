import { createHmac, hkdfSync } from 'node:crypto';
import {
  KeyDestroyed,
  type DataKey,
  type KeyRef,
  type KeyVault,
  type NewKey,
} from '../../ports/key-vault.ts';
import type { Sql } from '../../ports/sql.ts';
import { GroupCommitter } from '../../support/resilience/group-committer.ts';
import { migrate } from '../migrate.ts';
import { randomBytes } from '../random.ts';
import { KeyCache } from './key-cache.ts';
import { vaultSchema } from './schema.ts';
import { open, seal } from './wrap.ts';

/** The root key does not open this vault: it belongs to another data folder or was replaced. */
export class WrongRootKey extends Error {
  override readonly name = 'WrongRootKey';
}

const mostPseudonyms = 1_000;
/** Generations of a subject's key that are looked up together. */
const generationsAtOnce = 8;
const generationMaxAgeMs = 30_000;
const maxGenerations = 20_000;

/** Name of a subject's key in the vault. The first has the subject's own name; each erasure of the subject begins the next. */
function nameOf(subject: string, generation: number): string {
  return generation === 0 ? subject : `${subject}.${generation}`;
}

function namesUpTo(subject: string, generation: number): string[] {
  return Array.from({ length: generation + 1 }, (_, each) => nameOf(subject, each));
}

/** Sealed with the root key, it shows whether a key opens this vault. */
const proofText = 'stratalog vault';

/** Whether this database has a vault; then a root key for it exists. */
export async function hasVault(sql: Sql): Promise<boolean> {
  const [table] = await sql.query<{ there: boolean }>(
    `select to_regclass('control.vault') is not null as there`,
  );
  return table!.there && (await sql.query('select 1 from control.vault')).length > 0;
}

/**
 * Opens the vault in the `control` schema. `rootKey` (32 bytes) wraps the subjects' keys, which wrap the data keys. It is stored
 * outside the database, so that a copy of the database alone cannot be decrypted.
 */
export async function openSqlKeyVault(sql: Sql, rootKey: Uint8Array): Promise<KeyVault> {
  await migrate(sql, 'vault', vaultSchema);
  await sql.query('insert into control.vault (proof) values ($1) on conflict do nothing', [
    seal(rootKey, Buffer.from(proofText), 'proof'),
  ]);
  await assertOpens(sql, rootKey);
  return new SqlKeyVault(sql, rootKey);
}

/** Throws `WrongRootKey` if the vault of this database was created with another key. */
export async function assertOpens(sql: Sql, rootKey: Uint8Array): Promise<void> {
  const [row] = await sql.query<{ proof: Uint8Array }>('select proof from control.vault');
  assertProves(row!.proof, rootKey);
}

/** Throws `WrongRootKey` if the vault that has this proof was created with another key. */
export function assertProves(proof: Uint8Array, rootKey: Uint8Array): void {
  try {
    open(rootKey, proof, 'proof');
  } catch (cause) {
    throw new WrongRootKey('the vault was created with another root key: restore the key of this data', {
      cause,
    });
  }
}

interface KeyRow extends Record<string, unknown> {
  id: string;
  subject: string | null;
  wrapped: Uint8Array | null;
}

class SqlKeyVault implements KeyVault {
  readonly #sql: Sql;
  readonly #rootKey: Uint8Array;
  readonly #pseudonymKey: Uint8Array;
  /** Cached, because most commands concern the same few subjects. */
  readonly #pseudonyms = new Map<string, string>();
  readonly #dataKeys = new KeyCache();
  readonly #subjectKeys = new KeyCache();
  readonly #generations = new Map<string, { readonly generation: number; readonly until: number }>();
  readonly #inserts: GroupCommitter<NewKey, boolean>;

  constructor(sql: Sql, rootKey: Uint8Array) {
    this.#sql = sql;
    this.#rootKey = rootKey;
    this.#pseudonymKey = new Uint8Array(hkdfSync('sha256', rootKey, '', 'stratalog pseudonyms', 32));
    this.#inserts = new GroupCommitter((keys) => this.#insert(keys), { maxItems: 500, alternate: true });
  }

  async ensure(ref: KeyRef): Promise<DataKey> {
    const cached = this.#dataKeys.get(ref.tenant, ref.id);
    if (cached) return cached;
    const fresh = await this.draft(ref);
    if (await this.#inserts.add(fresh)) {
      this.stored(fresh);
      return fresh.key;
    }
    const key = (await this.open(ref.tenant, [ref.id])).get(ref.id);
    if (key === undefined || key === 'destroyed') throw new KeyDestroyed(ref.id);
    return key;
  }

  async renewed({ renewable, ...ref }: KeyRef): Promise<KeyRef> {
    if (!renewable) return ref;
    const generation = await this.generation(ref.tenant, ref.subject);
    return { ...ref, id: nameOf(ref.id, generation) };
  }

  async draft({ tenant, id, subject }: KeyRef): Promise<NewKey> {
    const wrapping = await this.#subjectKey(tenant, subject);
    const key = randomBytes(32);
    const ref = { tenant, id, subject: wrapping.name };
    return { ref, key, wrapped: seal(wrapping.key, key, `${tenant}/${id}`) };
  }

  stored({ ref: { tenant, id, subject }, key }: NewKey): void {
    this.#keep(tenant, id, subject, key);
  }

  async open(tenant: string, ids: readonly string[]): Promise<Map<string, DataKey | 'destroyed'>> {
    const found = new Map<string, DataKey | 'destroyed'>();
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      const cached = this.#dataKeys.get(tenant, id);
      if (cached) found.set(id, cached);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    const rows = await this.#sql.query<KeyRow>(
      'select id, subject, wrapped from control.data_keys where tenant = $1 and id = any ($2)',
      [tenant, missing],
      { onePlan: true },
    );
    const subjects = rows.flatMap(({ subject }) => subject ?? []);
    const subjectKeys = await this.#knownSubjectKeys(tenant, new Set(subjects));
    for (const row of rows) {
      const key = this.#unwrap(tenant, row, subjectKeys);
      if (key) found.set(row.id, key);
    }
    return found;
  }

  async destroy(tenant: string, ...ids: readonly string[]): Promise<void> {
    await this.#sql.query(
      `insert into control.data_keys (tenant, id, destroyed_at) select $1, id, now() from (select distinct unnest($2::text[])) as gone(id)
       on conflict (tenant, id) do update set wrapped = null, destroyed_at = coalesce(control.data_keys.destroyed_at, now())`,
      [tenant, ids],
    );
    for (const id of ids) this.#dataKeys.destroy(tenant, id);
  }

  async generation(tenant: string, subject: string): Promise<number> {
    const name = `${tenant}/${subject}`;
    const known = this.#generations.get(name);
    if (known && known.until > performance.now()) return known.generation;
    const generation = await this.#findGeneration(tenant, subject);
    if (this.#generations.size >= maxGenerations) this.#generations.clear();
    this.#generations.set(name, { generation, until: performance.now() + generationMaxAgeMs });
    return generation;
  }

  async destroySubject(tenant: string, subject: string, generation: number): Promise<void> {
    const names = namesUpTo(subject, generation);
    await this.#sql.query(
      `insert into control.subject_keys (tenant, subject, destroyed_at) select $1, name, now() from unnest($2::text[]) as n(name)
       on conflict (tenant, subject) do update set wrapped = null, destroyed_at = coalesce(control.subject_keys.destroyed_at, now())`,
      [tenant, names],
    );
    this.#generations.delete(`${tenant}/${subject}`);
    for (const name of names) {
      this.#subjectKeys.destroy(tenant, name);
      this.#dataKeys.dropWrappedBy(tenant, name);
    }
  }

  async destroyTenant(tenant: string, erasureId: string): Promise<void> {
    // The tombstone of the erasure stands among those of the keys, so that every copy of the vault has it.
    const rows = await this.#sql.query<{ subject: string }>(
      `with first as (
         insert into control.subject_keys (tenant, subject, destroyed_at) values ($1, $2, now()) on conflict do nothing returning 1
       )
       update control.subject_keys set wrapped = null, destroyed_at = coalesce(destroyed_at, now())
       where tenant = $1 and exists (select from first) returning subject`,
      [tenant, `erasure ${erasureId}`],
    );
    this.#generations.clear();
    for (const { subject } of rows) this.#subjectKeys.destroy(tenant, subject);
    this.#subjectKeys.dropTenant(tenant);
    this.#dataKeys.dropTenant(tenant);
  }

  async countTenantKeys(tenant: string): Promise<number> {
    const [row] = await this.#sql.query<{ count: number }>(
      `select count(*)::int as count from control.data_keys d join control.subject_keys s using (tenant, subject)
       where tenant = $1 and d.wrapped is not null and s.wrapped is not null`,
      [tenant],
    );
    return row!.count;
  }

  async countKeys(tenant: string, subject: string, generation: number): Promise<number> {
    const [row] = await this.#sql.query<{ count: number }>(
      'select count(*)::int as count from control.data_keys where tenant = $1 and subject = $2 and wrapped is not null',
      [tenant, nameOf(subject, generation)],
    );
    return row!.count;
  }

  pseudonym(purpose: string, tenant: string, value: string): string {
    const text = JSON.stringify([purpose, tenant, value]);
    const known = this.#pseudonyms.get(text);
    if (known !== undefined) return known;
    const name = createHmac('sha256', this.#pseudonymKey).update(text).digest('hex').slice(0, 32);
    if (this.#pseudonyms.size >= mostPseudonyms) this.#pseudonyms.clear();
    this.#pseudonyms.set(text, name);
    return name;
  }

  async close(): Promise<void> {}

  /** Returns for each key whether it was inserted; existing keys are not changed. */
  async #insert(keys: readonly NewKey[]): Promise<boolean[]> {
    const rows = await this.#sql.query<{ new_tenant: string; new_id: string }>(
      'select * from control.insert_data_keys($1, $2, $3, $4, true)',
      [
        keys.map(({ ref }) => ref.tenant),
        keys.map(({ ref }) => ref.id),
        keys.map(({ ref }) => ref.subject),
        keys.map(({ wrapped }) => Buffer.from(wrapped).toString('base64')),
      ],
    );
    const inserted = new Set(rows.map((row) => `${row.new_tenant}/${row.new_id}`));
    // If a batch contains an id twice, the database keeps the first.
    return keys.map(({ ref }) => inserted.delete(`${ref.tenant}/${ref.id}`));
  }

  /** Undefined for a damaged key: only the content sealed by it becomes unreadable. */
  #unwrap(
    tenant: string,
    row: KeyRow,
    subjectKeys: ReadonlyMap<string, DataKey | 'destroyed'>,
  ): DataKey | 'destroyed' | undefined {
    if (row.wrapped === null || row.subject === null) return 'destroyed';
    const subjectKey = subjectKeys.get(row.subject);
    if (subjectKey === undefined || subjectKey === 'destroyed') return subjectKey;
    try {
      const key = open(subjectKey, row.wrapped, `${tenant}/${row.id}`);
      this.#keep(tenant, row.id, row.subject, key);
      return key;
    } catch {
      return undefined;
    }
  }

  /** The keys of the subjects; subjects that never had a key are left out. */
  async #knownSubjectKeys(
    tenant: string,
    subjects: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, DataKey | 'destroyed'>> {
    const known = new Map<string, DataKey | 'destroyed'>();
    const missing: string[] = [];
    for (const subject of subjects) {
      const cached = this.#subjectKeys.get(tenant, subject);
      if (cached) known.set(subject, cached);
      else missing.push(subject);
    }
    if (missing.length === 0) return known;
    const rows = await this.#sql.query<{ subject: string; wrapped: Uint8Array | null }>(
      'select subject, wrapped from control.subject_keys where tenant = $1 and subject = any ($2)',
      [tenant, missing],
    );
    for (const { subject, wrapped } of rows)
      known.set(subject, wrapped ? this.#openSubjectKey(tenant, subject, wrapped) : 'destroyed');
    return known;
  }

  /** Caches a data key, unless the key that wraps it was destroyed meanwhile. */
  #keep(tenant: string, id: string, subject: string, key: DataKey): void {
    if (!this.#subjectKeys.isDestroyed(tenant, subject)) this.#dataKeys.set(tenant, id, key, subject);
  }

  /** The first generation of the subject's key that was not destroyed; it may not be there yet. */
  async #findGeneration(tenant: string, subject: string): Promise<number> {
    for (let first = 0; ; first += generationsAtOnce) {
      const names = Array.from({ length: generationsAtOnce }, (_, each) => nameOf(subject, first + each));
      const rows = await this.#sql.query<{ subject: string }>(
        'select subject from control.subject_keys where tenant = $1 and subject = any ($2) and wrapped is null',
        [tenant, names],
      );
      const destroyed = new Set(rows.map((row) => row.subject));
      const found = names.findIndex((name) => !destroyed.has(name));
      if (found >= 0) return first + found;
    }
  }

  /** The subject's present key and its name; created if there is none. */
  async #subjectKey(
    tenant: string,
    subject: string,
  ): Promise<{ readonly name: string; readonly key: DataKey }> {
    for (;;) {
      const name = nameOf(subject, await this.generation(tenant, subject));
      const cached = this.#subjectKeys.get(tenant, name);
      if (cached) return { name, key: cached };
      await this.#sql.query(
        'insert into control.subject_keys (tenant, subject, wrapped) values ($1, $2, $3) on conflict (tenant, subject) do nothing',
        [tenant, name, seal(this.#rootKey, randomBytes(32), `${tenant}/${name}`)],
      );
      const [row] = await this.#sql.query<{ wrapped: Uint8Array | null }>(
        'select wrapped from control.subject_keys where tenant = $1 and subject = $2',
        [tenant, name],
      );
      if (row?.wrapped) return { name, key: this.#openSubjectKey(tenant, name, row.wrapped) };
      // Another process has destroyed it since its generation was looked up.
      this.#generations.delete(`${tenant}/${subject}`);
    }
  }

  #openSubjectKey(tenant: string, subject: string, wrapped: Uint8Array): DataKey {
    const key = open(this.#rootKey, wrapped, `${tenant}/${subject}`);
    this.#subjectKeys.set(tenant, subject, key);
    return key;
  }
}
