import type { EventStore } from '../ports/event-store.ts';
import { leaseRenewalMs, type LeaseHolder, type Leases } from '../ports/leases.ts';
import { pause } from '../support/pause.ts';
import type { Sql } from '../ports/sql.ts';
import { withTimeLimit } from '../support/resilience/time-limit.ts';
import { Advances } from './advances.ts';
import { BookmarkMoved } from './bookmarks.ts';
import { EventFeed } from './event-feed.ts';
import type { Generation } from './generation.ts';
import { undivided } from './partitions.ts';
import type { Source, SourceReports } from './source.ts';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** The log itself: one process runs a generation, by lease. */
export class LogSource implements Source {
  readonly partitioning = undivided;
  readonly #feed: EventFeed;
  readonly #advances: Advances;
  readonly #leases: Leases;
  readonly #reports: SourceReports;

  constructor(sql: Sql, store: EventStore, leases: Leases, reports: SourceReports) {
    this.#advances = new Advances(sql, { gatherMs: 1, restMs: 0 });
    this.#feed = new EventFeed(store);
    this.#leases = leases;
    this.#reports = reports;
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#feed.follow(signal);
  }

  async run(generation: Generation, signal: AbortSignal): Promise<void> {
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      try {
        await this.#runUnderLease(generation, signal, () => (pauseMs = firstPauseMs));
      } catch (error) {
        if (!(error instanceof BookmarkMoved)) this.#reports.onError(generation.projection.name, error);
        await pause(pauseMs * (0.5 + Math.random()), signal);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
    await this.#leases.release(generation.key).catch(() => undefined);
  }

  holders(): Promise<Map<string, LeaseHolder>> {
    return this.#leases.holders();
  }

  async #runUnderLease(generation: Generation, signal: AbortSignal, onStep: () => void): Promise<void> {
    let renewAt = 0;
    let standing = await generation.standing();
    while (!signal.aborted) {
      if (performance.now() >= renewAt) {
        if ((await this.#leases.hold(generation.key)) === undefined) {
          await pause(leaseRenewalMs, signal);
          standing = await generation.standing();
          continue;
        }
        renewAt = performance.now() + leaseRenewalMs;
      }
      const { bookmark } = standing;
      const page = await withTimeLimit(leaseRenewalMs, signal, (limited) =>
        this.#feed.next(bookmark, limited),
      );
      if (!page) continue;
      standing = generation.takesNothing(page, standing)
        ? await this.#advances.pass(generation, standing, page.scannedTo)
        : await generation.apply(page, standing);
      onStep();
      this.#reports.onStep();
    }
  }
}
