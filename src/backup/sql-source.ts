import { readLeases } from '../adapters/sql/leases.ts';
import { readVault } from '../adapters/vault/copy.ts';
import { CheckpointMoved } from '../follow/processor.ts';
import type { EventLog, RecordedEvent } from '../ports/event-log.ts';
import type { ControlRecord, CopySource, LogEnd } from '../ports/log-copy.ts';
import type { Sql } from '../ports/sql.ts';
import { inBackground } from '../support/background.ts';
import { pause } from '../support/pause.ts';
import type { LogTree, TreeState } from '../tlog/tree.ts';

const pageSize = 2_000;
const retryMs = 50;

export interface SqlSourceParts {
  readonly sql: Sql;
  readonly log: EventLog;
  readonly tree: LogTree;
  readonly origin: string;
}

/** Copies a log from the database that has it, while others may use it: their requests come first. */
export class SqlSource implements CopySource {
  readonly #parts: SqlSourceParts;

  constructor(parts: SqlSourceParts) {
    this.#parts = parts;
  }

  async end(): Promise<LogEnd> {
    const { log, tree, origin } = this.#parts;
    const { size, position } = await inBackground(() => this.#grownTree());
    return { logId: log.logId, origin, size, position, root: await tree.root(size) };
  }

  rootAt(size: number): Promise<Buffer> {
    return this.#parts.tree.root(size);
  }

  positionAt(time: Date): Promise<number> {
    return this.#parts.log.positionAt(time);
  }

  async *events(after: number, upTo: number): AsyncGenerator<readonly RecordedEvent[]> {
    for (let position = after; position < upTo;) {
      const page = await inBackground(() => this.#parts.log.readAll({ after: position, limit: pageSize }));
      const events = page.events.filter((event) => event.position <= upTo);
      if (events.length > 0) yield events;
      if (page.events.length === 0) return;
      position = page.scannedTo;
    }
  }

  async *control(): AsyncGenerator<readonly ControlRecord[]> {
    const { sql } = this.#parts;
    const leases = await readLeases(sql);
    yield leases.map(({ name, epoch }) => ({ kind: 'lease', name, epoch }));
    const pages = readVault(sql);
    for (;;) {
      const page = await inBackground(() => pages.next());
      if (page.done) return;
      yield page.value;
    }
  }

  /** The process that signs heads adds to the tree, too. */
  async #grownTree(): Promise<TreeState> {
    const signal = new AbortController().signal;
    for (;;) {
      try {
        return await this.#parts.tree.grow(signal);
      } catch (error) {
        if (!(error instanceof CheckpointMoved)) throw error;
        await pause(retryMs, signal);
      }
    }
  }
}
