import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../domain/problems.ts';
import { generationTable } from '../read-models/generation-table.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Sql } from '../ports/sql.ts';
import { pause } from '../support/pause.ts';
import { requestSignal, throwIfUnwanted, withoutTurn } from '../support/request-scope.ts';
import { SharedRuns } from '../support/shared-runs.ts';
import type { WakeUp } from '../support/wake-up.ts';
import { withCurrentView } from './current-view.ts';

export const defaultWaitMs = 2_000;
/** Interval of polls for the progress of projections in other processes. */
const pollMs = 20;
/** The same for a database in this process, which no other process uses. */
const ownPollMs = 200;
/** Shortest time between two looks of one query: the projections reach a position one after another. */
const restMs = 5;
/** The same if no request waits. It is longer, so that a busy log does not cause a look at each of its steps. */
const backgroundRestMs = 100;

/** The generations of the read models that one query reads. */
export interface ReadView {
  /** A table of the live generation: `table('lexical', 'lexical_terms')`. */
  readonly table: (projection: string, table?: string) => string;
  readonly signature: (projection: string) => string;
  readonly generation: (projection: string) => number;
  /** All these read models have applied the log up to here: the smallest of their checkpoints over all partitions. */
  readonly position: number;
  /** Whether they stand at this position and never go on: what is current in them is as of then. */
  readonly standsStill: boolean;
}

export interface ReadDemand {
  readonly projections: readonly string[];
  /** Wait until all of them have reached this position. */
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
}

/** How far the read models must be, and how long to wait for that. */
export type Wait = Pick<ReadDemand, 'minPosition' | 'waitMs'>;

interface ActiveRow extends Record<string, unknown> {
  name: string;
  generation: number;
  signature: string;
  /** The smallest checkpoint of all partitions. */
  position: number;
}

/** Finds the live generation of each read model and its position. */
export class ReadModels {
  readonly sql: Sql;
  readonly #progress: WakeUp;
  readonly #standStill: boolean;
  readonly #pollMs: number;
  readonly #looks = new SharedRuns<ActiveRow[]>();

  /** `progress` fires after each step of a projection in this process. */
  constructor(sql: Sql, progress: WakeUp, { standStill = false }: { readonly standStill?: boolean } = {}) {
    this.sql = sql;
    this.#progress = progress;
    this.#standStill = standStill;
    this.#pollMs = sql.connections === 1 ? ownPollMs : pollMs;
  }

  /**
   * Returns what `body` reads in a view. Repeats it with a new view if a generation was dropped between the view and a
   * statement. Throws as `view` does.
   */
  read<T>(demand: ReadDemand, body: (view: ReadView) => Promise<T>): Promise<T> {
    return withCurrentView(async () => body(await this.view(demand)));
  }

  /** Throws `position-timeout` if a read model does not reach `minPosition` in time, so an answer is never older. */
  async view({ projections, minPosition = 0, waitMs = defaultWaitMs }: ReadDemand): Promise<ReadView> {
    throwIfUnwanted();
    const deadline = performance.now() + waitMs;
    const seen = this.#progress.count;
    const look = () => this.#look(projections, minPosition);
    const view = (await look()) ?? (await withoutTurn(() => this.#lookAgain(look, seen, deadline)));
    if (!view) throw positionTimeout('read models', waitMs);
    return view;
  }

  /** Looks after each progress since `seen`. Undefined if no view is found until `deadline`. */
  async #lookAgain(
    look: () => Promise<ReadView | undefined>,
    seen: number,
    deadline: number,
  ): Promise<ReadView | undefined> {
    const request = requestSignal();
    const signal = request ?? new AbortController().signal;
    const ownRestMs = request ? restMs : backgroundRestMs;
    let lookedAt = seen;
    for (let left: number; (left = deadline - performance.now()) > 0;) {
      await pause(Math.min(ownRestMs, left), signal);
      await this.#progress.after(lookedAt, Math.min(this.#pollMs, left), signal);
      signal.throwIfAborted();
      lookedAt = this.#progress.count;
      const view = await look();
      if (view) return view;
    }
    return undefined;
  }

  /** Undefined if a read model has not reached `minPosition`. */
  async #look(projections: readonly string[], minPosition: number): Promise<ReadView | undefined> {
    const rows = await this.#active(projections);
    const position = Math.min(...rows.map((row) => row.position));
    if (rows.length < projections.length || position < minPosition) return undefined;
    return { ...viewOf(rows), position, standsStill: this.#standStill };
  }

  #active(projections: readonly string[]): Promise<ActiveRow[]> {
    return this.#looks.run(projections.join(), () => this.#readActive(projections));
  }

  #readActive(projections: readonly string[]): Promise<ActiveRow[]> {
    return this.sql.query<ActiveRow>(
      `select a.name, a.generation, g.signature,
         (select min(b.position) from follow.checkpoints b where b.name = a.name and b.generation = a.generation) as position
       from read.active a join read.generations g on g.name = a.name and g.generation = a.generation
       where a.name = any ($1)`,
      [projections],
      { onePlan: true },
    );
  }
}

/** What `read` reads, or `otherwise` if its read models are still built or behind. */
export async function unlessBehind<Result, Other>(
  read: Promise<Result>,
  otherwise: Other,
): Promise<Result | Other> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Problem && error.code === 'position-timeout') return otherwise;
    throw error;
  }
}

/**
 * Waits until the log has reached `position`. Reads from the log itself need no read model to catch up. Throws
 * `position-timeout` if the log does not reach it in time.
 */
export async function untilLogReaches(
  log: EventLog,
  position: number,
  waitMs: number = defaultWaitMs,
): Promise<void> {
  if (position <= 0) return;
  const deadline = performance.now() + waitMs;
  while ((await log.head()) < position) {
    const left = deadline - performance.now();
    if (left <= 0) throw positionTimeout('log', waitMs);
    await sleep(Math.min(pollMs, left));
  }
}

function positionTimeout(what: string, waitMs: number): Problem {
  return new Problem('position-timeout', `the ${what} did not reach the position within ${waitMs} ms`, {
    retryAfter: 1,
  });
}

function viewOf(rows: readonly ActiveRow[]): Omit<ReadView, 'position' | 'standsStill'> {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const rowOf = (projection: string): ActiveRow => {
    const row = byName.get(projection);
    if (!row) throw new Error(`the view was not asked for ${projection}`);
    return row;
  };
  return {
    table: (projection, table = projection) => generationTable(table, rowOf(projection).generation),
    signature: (projection) => rowOf(projection).signature,
    generation: (projection) => rowOf(projection).generation,
  };
}
