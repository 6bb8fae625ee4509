import { Problem } from '../../domain/problems.ts';
import type { EventPlace } from '../../follow/parked-table.ts';
import type { Embedders } from '../../ports/embedder.ts';
import type { Sql, SqlExecutor } from '../../ports/sql.ts';
import { generationTable } from '../../read-models/generation-table.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import { refusedTextTable } from '../../read-models/vectors/tables.ts';
import type { ParkedStream } from '../status.ts';
import { WaitingTexts } from './waiting-texts.ts';

type Parked = ParkedStream & Pick<EventPlace, 'revision'>;

/**
 * The texts that models do not embed, as operators see them: among the parked streams of the read model `vectors`, although nothing else of
 * these streams waits.
 */
export class ParkedTexts {
  readonly projection = 'vectors';
  readonly #sql: Sql;
  readonly #waiting: WaitingTexts;

  constructor(sql: Sql, embedders: Embedders) {
    this.#sql = sql;
    this.#waiting = new WaitingTexts(sql, embedders);
  }

  async list(): Promise<readonly ParkedStream[]> {
    return (await readParkedTexts(this.#sql)).map(({ revision: _, ...parked }) => parked);
  }

  async at(stream: string): Promise<EventPlace | undefined> {
    return (await readParkedTexts(this.#sql)).find((parked) => parked.stream === stream);
  }

  /** Has the text embedded, if it is parked. Rejects with `still-parked` if the model refuses it again. */
  async retry(stream: string): Promise<void> {
    for (const generation of await this.#waiting.generations()) {
      const [text] = await this.#waiting.next(generation, { which: { stream }, limit: 1 });
      if (!text) continue;
      const [refusal] = await this.#waiting.embed(generation, text.tenant, [text]);
      if (refusal)
        throw new Problem('still-parked', `${this.projection} and ${stream}: ${refusal.message}`, {
          cause: refusal,
        });
    }
  }

  /** Gives the text of the event at `revision` up: it is neither tried again nor counted as missing, until the memory changes. */
  async skip(stream: string, revision: number): Promise<void> {
    await this.#sql.query(
      `update ${refusedTextTable} set skipped = true where stream = $1 and revision = $2`,
      [stream, revision],
    );
  }
}

/** The texts without a vector in every generation, in the order of the log. None in a database of an earlier version. */
export async function readParkedTexts(executor: SqlExecutor): Promise<readonly Parked[]> {
  const [table] = await executor.query<{ found: boolean }>(
    `select to_regclass('${refusedTextTable}') is not null as found`,
  );
  if (!table!.found) return [];
  const refusing = await executor.query<{ model: string }>(`select distinct model from ${refusedTextTable}`);
  const models = new Set(refusing.map(({ model }) => model));
  const generations = await executor.query<{ generation: number; signature: string }>(
    `select generation, signature from read.generations where name = 'vectors' and state <> 'failed' order by generation`,
  );
  const parked: Parked[] = [];
  for (const { generation, signature } of generations.filter((one) => models.has(variantOf(one.signature))))
    parked.push(
      ...(await executor.query<Parked & Record<string, unknown>>(
        `select $1::integer as generation, r.stream, r.position, r.revision, r.type, r.error
         from ${refusedTextTable} r join ${generationTable('vectors', generation)} v using (tenant, memory_id, text_hash)
         where r.model = $2 and not r.skipped and v.active order by r.position`,
        [generation, variantOf(signature)],
      )),
    );
  return parked;
}
