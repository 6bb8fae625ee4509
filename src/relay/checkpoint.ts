import type { Sql } from '../ports/sql.ts';

/** How far one log has been published to the topics with one prefix: everything up to there is in Kafka. */
export class RelayCheckpoint {
  readonly #sql: Sql;
  readonly #logId: string;
  readonly #prefix: string;

  constructor(sql: Sql, logId: string, prefix: string) {
    this.#sql = sql;
    this.#logId = logId;
    this.#prefix = prefix;
  }

  /** 0 if nothing was ever published. */
  async read(): Promise<number> {
    const [row] = await this.#sql.query<{ position: number }>(
      'select position from control.relay_checkpoints where log_id = $1 and prefix = $2',
      [this.#logId, this.#prefix],
    );
    return row?.position ?? 0;
  }

  /**
   * Begins an epoch and returns the position to continue from: no earlier epoch can move the checkpoint any more. Undefined if a
   * later epoch has begun already.
   */
  async claim(epoch: number): Promise<number | undefined> {
    const [row] = await this.#sql.query<{ position: number }>(
      `insert into control.relay_checkpoints as c (log_id, prefix, epoch) values ($1, $2, $3)
       on conflict (log_id, prefix) do update set epoch = excluded.epoch where c.epoch <= excluded.epoch
       returning position`,
      [this.#logId, this.#prefix, epoch],
    );
    return row?.position;
  }

  /** Returns false, and moves nothing, if another epoch has begun. */
  async save(position: number, epoch: number): Promise<boolean> {
    const rows = await this.#sql.query(
      `update control.relay_checkpoints set position = greatest(position, $3), saved_at = now()
       where log_id = $1 and prefix = $2 and epoch = $4 returning position`,
      [this.#logId, this.#prefix, position, epoch],
    );
    return rows.length > 0;
  }
}
