import type { RegisteredModel } from '../../ports/embedder.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import { memoryKeys, Recordset } from '../../read-models/recordset.ts';
import { refusedTextTable as table } from '../../read-models/vectors/tables.ts';
import type { MemoryKey } from '../memory-rows.ts';

/** Seconds before a refused text is tried again. The pause doubles with each attempt. */
const pausesS = { first: 15, longest: 3_600 };
const maxErrorLength = 500;

export interface TextKey extends MemoryKey {
  readonly text_hash: string;
}

/** A text that a model does not embed. */
export interface RefusedText extends TextKey {
  readonly stream: string;
  /** Those of the event that gave the memory this text. */
  readonly revision: number;
  readonly position: number;
  readonly type: string;
  readonly error: string;
}

const keys = new Recordset({ tenant: 'text', memory_id: 'uuid', text_hash: 'text' });
const texts = new Recordset({
  tenant: 'text',
  memory_id: 'uuid',
  text_hash: 'text',
  revision: 'integer',
  embedded: 'boolean',
});
const added = new Recordset({
  tenant: 'text',
  memory_id: 'uuid',
  text_hash: 'text',
  stream: 'text',
  revision: 'integer',
  position: 'bigint',
  type: 'text',
  error: 'text',
});

/**
 * The texts that one model behind an endpoint does not embed, although it embeds others. Their memories are in the read model without a
 * vector. A row matters only while its memory is active and has this text.
 */
export class RefusedTexts {
  readonly #model: string;
  readonly #endpoint: string;

  constructor({ id, endpoint = '' }: Pick<RegisteredModel, 'id' | 'endpoint'>) {
    this.#model = id;
    this.#endpoint = endpoint;
  }

  /** Those of the texts that this endpoint has refused before, so that a rebuild does not try them again. */
  async known<Text extends TextKey>(
    executor: SqlExecutor,
    among: readonly Text[],
  ): Promise<ReadonlySet<Text>> {
    if (among.length === 0) return new Set();
    const rows = await executor.query<TextKey & Record<string, unknown>>(
      `select w.tenant, w.memory_id, w.text_hash from ${keys.as('w')}
       join ${table} r using (tenant, memory_id, text_hash)
       where r.model = $${keys.size + 1} and r.endpoint = $${keys.size + 2}`,
      [...keys.bind(among), this.#model, this.#endpoint],
    );
    const found = new Set(rows.map(keyOf));
    return new Set(among.filter((text) => found.has(keyOf(text))));
  }

  /** Records refused texts, unless a newer text of their memory is recorded. */
  async record(tx: SqlExecutor, refused: readonly RefusedText[]): Promise<void> {
    if (refused.length === 0) return;
    const isSame = 'r.text_hash = excluded.text_hash';
    const kept = (column: string) =>
      `${column} = case when ${isSame} then r.${column} else excluded.${column} end`;
    const [model, endpoint, first, longest] = [1, 2, 3, 4].map((n) => `$${added.size + n}`);
    await tx.query(
      `insert into ${table} as r (${added.names}, model, endpoint, due_at)
       select ${added.names}, ${model}, ${endpoint}, now() + make_interval(secs => ${first}::float8) from ${added.as('n')}
       on conflict (model, tenant, memory_id) do update set
         text_hash = excluded.text_hash,
         ${['stream', 'revision', 'position', 'type'].map(kept).join(', ')},
         error = excluded.error,
         endpoint = excluded.endpoint,
         attempts = case when ${isSame} then r.attempts + 1 else 1 end,
         due_at = now() + make_interval(
           secs => least(${longest}::float8, ${first}::float8 * 2 ^ case when ${isSame} then least(r.attempts, 20) else 0 end)),
         skipped = r.skipped and ${isSame}
       where excluded.revision >= r.revision`,
      [
        ...added.bind(refused.map((text) => ({ ...text, error: text.error.slice(0, maxErrorLength) }))),
        this.#model,
        this.#endpoint,
        pausesS.first,
        pausesS.longest,
      ],
    );
  }

  /** Forgets the refused texts that these replace, and those of them that have a vector now. */
  async release(
    tx: SqlExecutor,
    current: readonly (TextKey & { readonly revision: number; readonly embedded: boolean })[],
  ): Promise<void> {
    if (current.length === 0) return;
    await tx.query(
      `delete from ${table} r using ${texts.as('t')}
       where r.model = $${texts.size + 1} and r.tenant = t.tenant and r.memory_id = t.memory_id
         and case when r.text_hash = t.text_hash then t.embedded else r.revision < t.revision end`,
      [...texts.bind(current), this.#model],
    );
  }

  /** Forgets memories that were erased, for every model. */
  async forget(tx: SqlExecutor, gone: readonly MemoryKey[]): Promise<void> {
    if (gone.length === 0) return;
    await tx.query(
      `delete from ${table} r using ${memoryKeys.as('gone')}
       where r.tenant = gone.tenant and r.memory_id = gone.memory_id`,
      memoryKeys.bind(gone),
    );
  }
}

function keyOf({ tenant, memory_id, text_hash }: TextKey): string {
  return JSON.stringify([tenant, memory_id, text_hash]);
}
