import type { Problem } from '../domain/problems.ts';
import type { MemoryRef } from '../ports/surface.ts';
import type { PastQueries } from '../queries/past.ts';
import { inBackground } from '../support/background.ts';
import { forAllRequests, withoutTurn } from '../support/request-scope.ts';
import { abandonAfter } from '../support/resilience/time-limit.ts';
import { countUntilClosed, type OpenedCopy } from './open-copy.ts';
import { stillFilling } from './still-filling.ts';

const idleMs = 600_000;

/** The copy was dropped before it could be read. */
export class CopyDropped extends Error {
  override readonly name = 'CopyDropped';
}

interface KeptCopyParts {
  /** Resolves when this copy may be filled. */
  readonly turn: Promise<unknown>;
  /** Opens a database that is not filled yet. */
  readonly open: () => Promise<OpenedCopy>;
  readonly onClosed: () => void;
}

/** A copy that requests share. It is closed when it is dropped, or not read for ten minutes, and nobody reads it any more. */
export class KeptCopy {
  readonly tenant: string;
  readonly position: number;
  /** Time of the last request (`performance.now`). */
  usedAt = performance.now();
  readonly #startedAt = performance.now();
  readonly #dropped = new AbortController();
  readonly #ready: Promise<PastQueries>;
  readonly #onClosed: () => void;
  readonly #onLeft: (() => void)[] = [];
  #opened: OpenedCopy | undefined;
  #isFilled = false;
  #reached = 0;
  #readers = 0;
  #idle: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor({ tenant, position }: Pick<KeptCopy, 'tenant' | 'position'>, parts: KeptCopyParts) {
    this.tenant = tenant;
    this.position = position;
    this.#onClosed = parts.onClosed;
    this.#ready = forAllRequests(() => inBackground(() => parts.turn.then(() => this.#fill(parts.open))));
    this.#ready.catch(() => void this.drop());
  }

  /** Resolves when the fill has ended, well or not. */
  get filled(): Promise<void> {
    return this.#ready.then(
      () => undefined,
      () => undefined,
    );
  }

  get isDropped(): boolean {
    return this.#dropped.signal.aborted;
  }

  get isReady(): boolean {
    return this.#isFilled && !this.isDropped;
  }

  /** Whether it could be dropped without ending a fill or a request. */
  get isIdle(): boolean {
    return this.isReady && this.#readers === 0;
  }

  /** Rejects with `position-timeout` if it is not filled within `waitMs`, and with `CopyDropped` if it is dropped. */
  async read<Result>(waitMs: number, use: (queries: PastQueries) => Promise<Result>): Promise<Result> {
    const filled = () =>
      abandonAfter(
        waitMs,
        () => this.#ready,
        () => this.#notReady(),
      );
    const queries = this.isReady ? await this.#ready : await withoutTurn(filled);
    this.#dropped.signal.throwIfAborted();
    this.#readers++;
    clearTimeout(this.#idle);
    try {
      return await use(queries);
    } finally {
      this.#readers--;
      this.#release();
    }
  }

  async count(memories: readonly MemoryRef[]): Promise<number> {
    if (!this.isReady || memories.length === 0) return 0;
    return countUntilClosed(this.#opened!, memories, () => this.#closed !== undefined);
  }

  /** New requests are refused. Resolves when the database is closed, after the last request. */
  async drop(): Promise<void> {
    if (!this.isDropped) this.#dropped.abort(new CopyDropped());
    clearTimeout(this.#idle);
    await this.filled;
    while (this.#readers > 0) await this.#left();
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #fill(open: KeptCopyParts['open']): Promise<PastQueries> {
    const { signal } = this.#dropped;
    signal.throwIfAborted();
    this.#opened = await open();
    await this.#opened.copy.advance(this.position, signal, (reached) => (this.#reached = reached));
    const queries = await this.#opened.queries();
    signal.throwIfAborted();
    this.#isFilled = true;
    this.#release();
    return queries;
  }

  async #close(): Promise<void> {
    await this.#opened?.close();
    this.#onClosed();
  }

  /** Resolves when the last request has ended. */
  #left(): Promise<void> {
    return new Promise((resolve) => this.#onLeft.push(resolve));
  }

  #release(): void {
    this.usedAt = performance.now();
    if (this.#readers > 0) return;
    for (const resolve of this.#onLeft.splice(0)) resolve();
    if (this.isDropped) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.drop(), idleMs).unref();
  }

  #notReady(): Problem {
    const share = this.position === 0 ? 0 : this.#reached / this.position;
    return stillFilling('the read models as of this position', share, this.#startedAt);
  }
}
