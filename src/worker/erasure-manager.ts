import { completeErasure } from '../commands/erase-memory.ts';
import type { CommandContext, CommandServices } from '../commands/context.ts';
import { inBackground } from '../support/background.ts';
import type { Sql } from '../ports/sql.ts';

const retryMs = 2_000;
/** Nobody waits for it: whoever erases completes the erasure himself. */
const lingerMs = 1_000;

/**
 * Completes every erasure of the log: destroys the key and frees the externalId, also where the process that erased
 * was killed in between, or where the vault was restored from an older backup. Both steps change nothing when they
 * are done already, so the bookmark may lag behind them.
 */
export class ErasureManager {
  readonly #services: CommandServices;
  readonly #sql: Sql;
  readonly #context: CommandContext;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    services: CommandServices,
    sql: Sql,
    context: CommandContext,
    onError: (error: unknown) => void,
  ) {
    this.#services = services;
    this.#sql = sql;
    this.#context = context;
    this.#onError = onError;
  }

  /** Completes what the log holds up to now: before that, nothing may be served on a key that an erasure named. */
  async catchUp(): Promise<void> {
    await this.#sql.query(
      'insert into control.erasures (one, bookmark) values (true, 0) on conflict (one) do nothing',
    );
    // The database may have served another log before: a place in that one is none in this.
    await this.#sql.query(
      'update control.erasures set bookmark = 0, log = $1 where log is distinct from $1',
      [this.#services.store.log.logId],
    );
    for (let after = await this.#bookmark(); ;) {
      const page = await this.#services.store.readAll({
        after,
        limit: 500,
        filter: { types: ['MemoryErased'] },
      });
      for (const { event, metadata } of page.events) {
        if (event.type !== 'MemoryErased') continue;
        const inTenant = { ...this.#context, caller: { ...this.#context.caller, tenant: metadata.tenant } };
        await completeErasure(this.#services, inTenant, { tenant: metadata.tenant, ...event.data });
      }
      if (page.scannedTo <= after) return;
      after = page.scannedTo;
      await this.#sql.query('update control.erasures set bookmark = greatest(bookmark, $1)', [after]);
    }
  }

  /** Goes on with every erasure to come. */
  follow(): void {
    this.#running = inBackground(() => this.#follow());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const { store } = this.#services;
        const after = await this.#bookmark();
        for await (const page of store.log.subscribe({
          after,
          filter: { types: ['MemoryErased'] },
          lingerMs,
          signal,
        })) {
          if (page.events.length > 0) await this.catchUp();
        }
      } catch (error) {
        this.#onError(error);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  async #bookmark(): Promise<number> {
    const [row] = await this.#sql.query<{ bookmark: number }>('select bookmark from control.erasures');
    return row!.bookmark;
  }
}
