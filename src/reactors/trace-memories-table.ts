import type { EventStore } from '../ports/event-store.ts';
import type { Sql, SqlExecutor } from '../ports/sql.ts';

/** A trace that names a memory. */
export interface TraceMemory {
  readonly tenant: string;
  readonly memoryId: string;
  readonly traceId: string;
}

/** The table `control.trace_memories`, of one log. */
export class TraceMemoriesTable {
  readonly #sql: Sql;
  readonly #logId: string;

  constructor(sql: Sql, { log }: EventStore) {
    this.#sql = sql;
    this.#logId = log.logId;
  }

  /** The ids of the traces that name the memory. */
  async tracesOf(tenant: string, memoryId: string): Promise<string[]> {
    const rows = await this.#sql.query<{ readonly trace_id: string }>(
      'select trace_id from control.trace_memories where log_id = $1 and tenant = $2 and memory_id = $3',
      [this.#logId, tenant, memoryId],
    );
    return rows.map(({ trace_id: id }) => id);
  }

  /** Adds rows that the table does not have yet. */
  async add(tx: SqlExecutor, rows: readonly TraceMemory[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.query(
      `insert into control.trace_memories
       select $1, * from unnest($2::text[], $3::text[], $4::text[]) on conflict do nothing`,
      [
        this.#logId,
        rows.map(({ tenant }) => tenant),
        rows.map(({ memoryId }) => memoryId),
        rows.map(({ traceId }) => traceId),
      ],
    );
  }

  async removeTraces(
    tx: SqlExecutor,
    traces: readonly Pick<TraceMemory, 'tenant' | 'traceId'>[],
  ): Promise<void> {
    if (traces.length === 0) return;
    await tx.query(
      `delete from control.trace_memories t using unnest($2::text[], $3::text[]) as gone(tenant, trace_id)
       where t.log_id = $1 and t.tenant = gone.tenant and t.trace_id = gone.trace_id`,
      [this.#logId, traces.map(({ tenant }) => tenant), traces.map(({ traceId }) => traceId)],
    );
  }
}
