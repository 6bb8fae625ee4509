import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../domain/problems.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { MemoryRef, Surface } from '../ports/surface.ts';
import type { Past, PastQueries } from '../queries/past.ts';
import { defaultWaitMs, untilLogReaches, type Wait } from '../queries/read-models.ts';
import { withoutTurn } from '../support/request-scope.ts';
import { CopyDropped, KeptCopy } from './kept-copy.ts';
import { PrivateCopies, type PrivateWork } from './private-copies.ts';
import type { OpenCopy } from './open-copy.ts';

/** Copies that are kept for further questions. */
const maxKept = 2;
/** How often a copy is filled again for one request, because a memory was erased meanwhile. */
const maxFills = 3;
/** How often a request looks for room. */
const pollMs = 50;

interface Asked {
  readonly tenant: string;
  readonly position: number;
}

/**
 * Read models of the past: private copies in memory, filled from the log with the events of one tenant up to a position. At most two are
 * kept, and one is filled at a time. An erasure closes the copies of its tenant.
 */
export class PastReadModels implements Surface, Past {
  readonly name = 'read models of the past';
  readonly #log: EventLog;
  readonly #open: OpenCopy;
  readonly #kept = new Map<string, KeptCopy>();
  /** Copies whose databases may still be open, kept or not. */
  readonly #alive = new Set<KeptCopy>();
  readonly #private = new Set<PrivateCopies>();
  #isClosed = false;
  #lastFill: Promise<unknown> = Promise.resolve();

  constructor(log: EventLog, open: OpenCopy) {
    this.#log = log;
    this.#open = open;
  }

  has({ tenant, position }: Asked): boolean {
    return this.#kept.get(keyOf({ tenant, position }))?.isReady ?? false;
  }

  async at<Result>(
    { tenant, position, waitMs = defaultWaitMs }: Asked & Pick<Wait, 'waitMs'>,
    use: (queries: PastQueries) => Promise<Result>,
  ): Promise<Result> {
    const deadline = performance.now() + waitMs;
    await untilLogReaches(this.#log, position, waitMs);
    const leftMs = () => Math.max(0, deadline - performance.now());
    for (let fills = 1; ; fills++) {
      const kept =
        this.#copyOf({ tenant, position }) ?? (await this.#waitForCopy({ tenant, position }, leftMs));
      try {
        return await kept.read(leftMs(), use);
      } catch (error) {
        // An erasure closed the copy before it was read.
        if (!(error instanceof CopyDropped)) throw error;
        if (fills === maxFills)
          throw new Problem('unavailable', 'memories were erased while the past was read: ask again', {
            retryAfter: 1,
          });
      }
    }
  }

  /**
   * Calls `work` with copies of its own that `open` opens, when no other copy is being filled. They are closed when it ends. An erasure
   * of the tenant aborts `signal`.
   */
  privately<Result>(tenant: string, work: PrivateWork<Result>): Promise<Result> {
    const own = new PrivateCopies(tenant, this.#open);
    this.#private.add(own);
    const done = this.#lastFill.then(() => own.use(work)).finally(() => this.#private.delete(own));
    this.#lastFill = done.catch(() => undefined);
    return done;
  }

  /** Counts the rows in all copies. */
  async count(memories: readonly MemoryRef[]): Promise<number> {
    const counts = await Promise.all(
      [...this.#alive, ...this.#private].map((kept) =>
        kept.count(memories.filter(({ tenant }) => tenant === kept.tenant)),
      ),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Closes the copies of the tenants: those that are opened from now on leave out what was erased. */
  async forget(erased: readonly MemoryRef[]): Promise<void> {
    const tenants = new Set(erased.map(({ tenant }) => tenant));
    const own = [...this.#alive, ...this.#private].filter(({ tenant }) => tenants.has(tenant));
    await Promise.all(own.map((copies) => copies.drop()));
  }

  /** Requests that wait are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#alive, ...this.#private].map((copies) => copies.drop()));
  }

  /** Rejects with `unavailable` if there is no room in time. */
  #waitForCopy(asked: Asked, leftMs: () => number): Promise<KeptCopy> {
    return withoutTurn(async () => {
      while (leftMs() > 0) {
        await sleep(Math.min(pollMs, leftMs()));
        const kept = this.#copyOf(asked);
        if (kept) return kept;
      }
      throw new Problem(
        'unavailable',
        `read models of the past are being filled or read for ${maxKept} other positions: try again when they are done`,
        { retryAfter: 5 },
      );
    });
  }

  /** The copy at a position, which may be new. Undefined if there is no room for a new one. */
  #copyOf(asked: Asked): KeptCopy | undefined {
    if (this.#isClosed) throw new Problem('unavailable', 'the server stops', { retryAfter: 1 });
    const key = keyOf(asked);
    const known = this.#kept.get(key);
    if (known && !known.isDropped) return known;
    this.#kept.delete(key);
    if (!this.#makeRoom()) return undefined;
    const kept = new KeptCopy(asked, {
      turn: this.#lastFill,
      open: () => this.#open(asked),
      onClosed: () => this.#alive.delete(kept),
    });
    this.#lastFill = kept.filled;
    this.#kept.set(key, kept);
    this.#alive.add(kept);
    return kept;
  }

  /** Drops the copy that was not read for the longest time, if there are too many. False if all are in use. */
  #makeRoom(): boolean {
    for (const [key, kept] of this.#kept) if (kept.isDropped) this.#kept.delete(key);
    if (this.#kept.size < maxKept) return true;
    const [oldest] = [...this.#kept]
      .filter(([, { isIdle }]) => isIdle)
      .sort(([, left], [, right]) => left.usedAt - right.usedAt);
    if (!oldest) return false;
    const [key, kept] = oldest;
    this.#kept.delete(key);
    void kept.drop();
    return true;
  }
}

const keyOf = ({ tenant, position }: Asked): string => `${tenant}/${position}`;
