import type { EventStore, LoadedEvent, LoadedPage } from '../ports/event-store.ts';
import type { EventType } from '../domain/events/registry.ts';
import { tenantOfStream } from '../domain/streams.ts';
import type { MemoryRef } from '../ports/surface.ts';
import type { Sql } from '../ports/sql.ts';
import { isTransient } from '../follow/transient.ts';
import { Generation } from '../projections/generation.ts';
import { ensureLive } from '../projections/generations.ts';
import { tablesOf, type Projection } from '../projections/projection.ts';
import type { KnownVectors, VectorsByHash } from './known-vectors.ts';

const pageSize = 2_000;
/** A new database has the first generation of each read model. */
const generation = 1;

/** A page of the tenant's events, with the vectors of their texts. */
interface Page extends LoadedPage {
  readonly known: VectorsByHash;
}

export interface PastCopyParts {
  /** A private database with the tables that generations need. The copy closes it. */
  readonly sql: Sql;
  /** The log that is copied from. */
  readonly store: EventStore;
  readonly tenant: string;
  readonly projections: readonly Projection[];
  readonly vectors: KnownVectors;
  /** Called with each event of the tenant in the order of the log: only those are applied for which it returns true. */
  readonly isTaken: (event: LoadedEvent) => boolean;
  /** Further types of events that `isTaken` is called with, although no read model handles them. */
  readonly seen?: readonly EventType[];
}

/**
 * Read models of one tenant in a private database, filled from the log up to a position. They can go on to a later one, and never go
 * back. Nothing else writes to the database, so whatever its queries call current is as of that position.
 */
export class PastCopy {
  readonly #parts: PastCopyParts;
  readonly #types: readonly EventType[];
  #generations: readonly Generation[] = [];
  #position = 0;

  private constructor(parts: PastCopyParts) {
    this.#parts = parts;
    const { projections, seen = [] } = parts;
    this.#types = [...new Set([...seen, ...projections.flatMap(({ handles }) => handles)])];
  }

  static async open(parts: PastCopyParts): Promise<PastCopy> {
    const copy = new PastCopy(parts);
    const { sql, projections } = parts;
    for (const projection of projections) await ensureLive(sql, projection);
    copy.#generations = projections.map((projection) => new Generation(sql, projection, generation));
    return copy;
  }

  get sql(): Sql {
    return this.#parts.sql;
  }

  /** The position that the read models stand at. */
  get position(): number {
    return this.#position;
  }

  /** Applies the events up to and including the one at `to`. `onProgress` is called with each position that is reached. */
  async advance(to: number, signal: AbortSignal, onProgress: (position: number) => void): Promise<void> {
    let next = this.#read(this.#position, to);
    for (let at = this.#position; at < to;) {
      const page = await next;
      signal.throwIfAborted();
      at = page.scannedTo;
      // The log is read while the database writes.
      if (at < to) {
        next = this.#read(at, to);
        next.catch(() => undefined);
      }
      await this.#apply(page);
      await this.#standAt(at);
      onProgress(at);
    }
    // Without statistics of the tables, the planner would read them whole.
    await this.#parts.sql.execute('analyze');
    await this.#standAt(to);
  }

  /** Number of rows that hold content of memories of the tenant or derive from it. */
  async count(memories: readonly MemoryRef[]): Promise<number> {
    const { sql, projections, tenant } = this.#parts;
    const ids = memories.map(({ memoryId }) => memoryId);
    let total = 0;
    for (const { holds } of projections) {
      if (typeof holds !== 'function') continue;
      const [row] = await sql.query<{ readonly count: number }>(holds(tablesOf(generation)), [tenant, ids]);
      total += row!.count;
    }
    return total;
  }

  close(): Promise<void> {
    return this.#parts.sql.close();
  }

  /** The tenant's events in a page of the log. */
  async #read(after: number, to: number): Promise<Page> {
    const { store, tenant, vectors, isTaken } = this.#parts;
    const page = await store.log.readAll({ after, limit: pageSize, filter: { types: this.#types } });
    const recorded = page.events.filter(({ stream, position }) => {
      return position <= to && tenantOfStream(stream) === tenant;
    });
    const opened = await store.open(recorded);
    // A page without a further event ends where the log does.
    const scannedTo = page.scannedTo > after ? Math.min(page.scannedTo, to) : to;
    const events = opened.events.filter((event) => isTaken(event));
    return { ...opened, events, scannedTo, known: await vectors.read(tenant, events) };
  }

  async #apply(page: Page): Promise<void> {
    if (page.events.length === 0 && page.unreadable.length === 0) return;
    this.#parts.vectors.know(page.known);
    await Promise.all(this.#generations.map((own) => this.#applyTo(own, page)));
  }

  /**
   * Applies a page in one transaction, whose only guard is that nobody else writes. If that fails, the slow path of a follower finds the
   * event that cannot be applied.
   */
  async #applyTo(own: Generation, page: LoadedPage): Promise<void> {
    const { sql } = this.#parts;
    const handled: ReadonlySet<string> = new Set(own.projection.handles);
    const events = page.events.filter(({ event }) => handled.has(event.type));
    const hasUnreadable = page.unreadable.some(({ type }) => handled.has(type));
    if (events.length === 0 && !hasUnreadable) return;
    const { parked } = await own.checkpoint();
    if (!hasUnreadable && parked.size === 0)
      try {
        const prepared = await own.prepare(events);
        return await sql.transaction((tx) => own.applyIn(tx, events, prepared), { durable: false });
      } catch (error) {
        if (isTransient(error)) throw error;
      }
    await own.apply(page, await own.checkpoint(), { rebuild: true });
  }

  /** Moves all checkpoints: no follower does it. */
  async #standAt(position: number): Promise<void> {
    await this.#parts.sql.query('update follow.checkpoints set position = $1', [position]);
    this.#position = position;
  }
}
