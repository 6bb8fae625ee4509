import { Problem } from '../domain/problems.ts';
import type { EventLog, StreamName } from '../ports/event-log.ts';
import type { Sql } from '../ports/sql.ts';
import { followLog } from './follow-log.ts';
import type { EventProcessor, Term } from './processor.ts';
import { pause } from '../support/pause.ts';
import type { ParkedStreams } from './parked-streams.ts';

const intervalMs = 2_000;
/** The events by which a memory, and the feedback on it, is erased. */
const erasures: readonly string[] = ['MemoryErased', 'FeedbackErased'];

export interface ErasedStreamReleaseOptions {
  readonly sql: Sql;
  readonly log: EventLog;
  readonly parked: ParkedStreams;
  readonly isProjection: (name: string) => boolean;
  readonly onError: (projection: string, error: unknown) => void;
}

/**
 * Releases parked streams of memories that were erased, and of the feedback on them: the event at which such a stream is parked has
 * lost its content or its use, and is skipped if it cannot be applied even so. Otherwise the read models would keep the content.
 *
 * The table of parked streams is its to-do list, and it keeps no checkpoint: a stream may be parked long after its erasure was in the
 * log, for instance by a rebuild. It looks for erasures from the first parked event on and keeps those found in memory.
 */
export class ErasedStreamRelease implements EventProcessor {
  readonly name = 'release-erased';
  readonly sharing = 'lease';
  readonly #options: ErasedStreamReleaseOptions;
  readonly #erased = new Set<StreamName>();
  /** The erasures between this position and `#scannedTo` are known. */
  #from = Infinity;
  #scannedTo = 0;

  constructor(options: ErasedStreamReleaseOptions) {
    this.#options = options;
  }

  async run(term: Term): Promise<void> {
    for (; !term.signal.aborted; await pause(intervalMs, term.signal)) {
      const first = await this.#firstParked();
      if (first === undefined) continue;
      // The erasure may be the very event at which a stream is parked.
      await this.#findErased(first - 1, term);
      await this.#releaseAll(term.signal);
    }
  }

  async #firstParked(): Promise<number | undefined> {
    const [row] = await this.#options.sql.query<{ position: number | null }>(
      'select min(position) as position from follow.parked where generation > 0',
    );
    return row?.position ?? undefined;
  }

  /** Reads the erasures after a position, up to the head of the log. */
  async #findErased(after: number, term: Term): Promise<void> {
    const { log } = this.#options;
    if (after < this.#from) {
      this.#from = this.#scannedTo = after;
      this.#erased.clear();
    }
    const head = await log.head();
    if (this.#scannedTo >= head) return;
    const reachedHead = new AbortController();
    const signal = AbortSignal.any([term.signal, reachedHead.signal]);
    // A subscription is filtered by the server of the log if it can do that; a single page is filtered in this process.
    const pages = log.subscribe({ after: this.#scannedTo, filter: { types: erasures }, signal });
    await followLog(term, this.#scannedTo, pages, async ({ events, scannedTo }) => {
      for (const { stream } of events) this.#erased.add(stream);
      this.#scannedTo = scannedTo;
      term.reached(scannedTo);
      if (scannedTo >= head) reachedHead.abort();
    });
  }

  async #releaseAll(signal: AbortSignal): Promise<void> {
    const { sql, isProjection, onError } = this.#options;
    const parked = await sql.query<{ name: string; stream: StreamName }>(
      'select distinct name, stream from follow.parked where generation > 0 and stream = any ($1)',
      [[...this.#erased]],
    );
    for (const { name, stream } of parked) {
      if (signal.aborted) return;
      if (isProjection(name))
        await this.#release(name, stream).catch((error: unknown) => onError(name, error));
    }
  }

  async #release(name: string, stream: StreamName): Promise<void> {
    const { parked } = this.#options;
    for (;;) {
      try {
        await parked.retry(name, stream);
        return;
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'still-parked') throw error;
        const waiting = await parked.parkedAt(name, stream);
        if (!waiting) return;
        // The erasure itself is never skipped.
        if (erasures.includes(waiting.type)) throw error;
        await parked.skip(name, stream, waiting.revision);
      }
    }
  }
}
