import { Problem } from '../domain/problems.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { LeaseHolder } from '../ports/leases.ts';
import type { Sql, SqlExecutor } from '../ports/sql.ts';
import { pause } from '../support/pause.ts';
import type { EventPlace } from './parked-table.ts';
import type { ProcessorRunner } from './processor-runner.ts';

const pollMs = 50;
/** How long an operator waits for the process that runs the reactor. */
const patienceMs = 10_000;
const neverAborted = new AbortController().signal;

/** A parked stream of a reactor. `act` is what an operator has asked to do with it. */
export interface Asked {
  readonly stream: string;
  readonly act?: 'retry' | 'skip';
  /** Of the event at which the stream is parked. */
  readonly revision?: number;
}

export interface ReactorStatus {
  readonly name: string;
  /** Which process runs it: this one, another, or none. */
  readonly lock: LeaseHolder | 'free';
  /** Its checkpoint. In another process it may be up to ten seconds further. */
  readonly position: number;
  /** Distance to the head of the log, in positions. */
  readonly lag: number;
  /** Why it is failing, in this process. */
  readonly error?: string;
  readonly parked: readonly {
    readonly stream: string;
    readonly position: number;
    readonly type: string;
    readonly error: string;
  }[];
}

export interface ReactorOperationsOptions {
  readonly sql: Sql;
  readonly log: Pick<EventLog, 'logId'>;
  /** The processors of this process. */
  readonly running: readonly ProcessorRunner[];
}

/**
 * What operators see of reactors, and do with their parked streams. Any process can be asked; the one that runs the reactor does it,
 * because only that one can: the request is kept with the parked stream.
 */
export class ReactorOperations {
  readonly #sql: Sql;
  readonly #options: ReactorOperationsOptions;

  constructor(options: ReactorOperationsOptions) {
    this.#sql = options.sql;
    this.#options = options;
  }

  /** All reactors that have ever run. `head` is the head of the log. */
  async status(head: number, holders: ReadonlyMap<string, LeaseHolder>): Promise<ReactorStatus[]> {
    const { log, running } = this.#options;
    const rows = await this.#sql.query<{ name: string; position: number }>(
      'select name, position from follow.checkpoints where generation = 0 and partition = $1 order by name',
      [log.logId],
    );
    const parked = await this.#sql.query<ReactorStatus['parked'][number] & { name: string }>(
      `select name, stream, position, type, error from follow.parked
       where generation = 0 and partition = $1 order by position`,
      [log.logId],
    );
    return rows.map(({ name, position: written }) => {
      const own = running.find(({ processor }) => processor.name === name)?.status;
      const position = Math.max(written, own?.position ?? 0);
      return {
        name,
        lock: holders.get(name) ?? 'free',
        position,
        lag: Math.max(0, head - position),
        ...(own?.error !== undefined && { error: own.error }),
        parked: parked.filter((row) => row.name === name).map(({ name: _, ...row }) => row),
      };
    });
  }

  /** Whether there is a reactor of this name. */
  async has(reactor: string): Promise<boolean> {
    const rows = await this.#sql.query(
      'select 1 from follow.checkpoints where name = $1 and generation = 0 limit 1',
      [reactor],
    );
    return rows.length > 0;
  }

  /** The event at which a stream is parked; undefined if it is not. */
  async parkedAt(reactor: string, stream: string): Promise<EventPlace | undefined> {
    return this.#read(reactor, stream);
  }

  /**
   * Has the waiting events of a parked stream handled. Rejects with `still-parked` and the reason if one of them cannot be, and with
   * `unavailable` if no process runs the reactor; the request then stays, and is done as soon as one does.
   */
  async retry(reactor: string, stream: string): Promise<void> {
    const row = await this.#ask(reactor, stream, 'retry');
    if (row) throw new Problem('still-parked', `${reactor} and ${stream}: ${row.error}`);
  }

  /** Has the event at `revision` skipped, if the stream is parked at it. Rejects with `unavailable` like `retry`. */
  async skip(reactor: string, stream: string, revision: number): Promise<void> {
    await this.#ask(reactor, stream, 'skip', revision);
  }

  /** Resolves when the request was done: with the row of the stream if it is still parked. */
  async #ask(
    reactor: string,
    stream: string,
    act: 'retry' | 'skip',
    revision?: number,
  ): Promise<ParkedWith | undefined> {
    await this.#sql.query(
      `update follow.parked set asked = $3
       where name = $1 and generation = 0 and stream = $2 and ($4::integer is null or revision = $4)`,
      [reactor, stream, act, revision ?? null],
    );
    const deadline = performance.now() + patienceMs;
    for (; performance.now() < deadline; await pause(pollMs, neverAborted)) {
      const row = await this.#read(reactor, stream);
      if (row?.asked == null) return row;
    }
    throw new Problem(
      'unavailable',
      `no process with the role worker has done it yet; ${reactor} does it as soon as one runs`,
      { retryAfter: 10 },
    );
  }

  async #read(reactor: string, stream: string): Promise<ParkedWith | undefined> {
    const [row] = await this.#sql.query<ParkedWith & Record<string, unknown>>(
      `select position, revision, type, error, asked from follow.parked
       where name = $1 and generation = 0 and stream = $2`,
      [reactor, stream],
    );
    return row;
  }
}

interface ParkedWith extends EventPlace {
  readonly error: string;
  readonly asked: string | null;
}

/** What operators ask of a reactor, in the process that runs it. */
export function askedOf(
  executor: SqlExecutor,
  reactor: string,
): Promise<(Asked & Record<string, unknown>)[]> {
  return executor.query(
    `select stream, asked as act, revision from follow.parked
     where name = $1 and generation = 0 and asked is not null order by position`,
    [reactor],
  );
}

/** Notes that a request was done, whatever came of it. */
export async function done(executor: SqlExecutor, reactor: string, stream: string): Promise<void> {
  await executor.query(
    'update follow.parked set asked = null where name = $1 and generation = 0 and stream = $2',
    [reactor, stream],
  );
}
