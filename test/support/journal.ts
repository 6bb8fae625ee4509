import type { LoadedEvent } from '../../src/ports/event-store.ts';
import type { Sql } from '../../src/ports/sql.ts';
import type { PrepareContext, Projection } from '../../src/projections/projection.ts';
import { statement, together, type Write } from '../../src/projections/write.ts';

/** A row of the journal, which records one event. */
export interface JournalRow {
  readonly stream: string;
  readonly revision: number;
  readonly text: string;
}

/**
 * A read model that records the content of each event it is given, so repeated and missing events are visible. A test can hook
 * into `plan` and `prepare`.
 */
export class Journal implements Projection {
  readonly name: string;
  readonly version = 1;
  readonly handles = ['MemoryStored', 'MemoryUpdated'] as const;
  readonly tables: readonly string[];
  readonly batchSize: number;
  /** Runs for each event before it is written. Throw to make the projection of the event fail. */
  onEvent: (text: string) => void = () => {};
  onPrepare: (events: readonly LoadedEvent[], context: PrepareContext) => Promise<void> = async () => {};

  constructor(name: string, batchSize: number = Infinity) {
    this.name = name;
    this.tables = [name];
    this.batchSize = batchSize;
  }

  create(...[tables]: Parameters<Projection['create']>): readonly string[] {
    return [`create table ${tables(this.name)} (n serial, stream text, revision integer, text text)`];
  }

  prepare = (...[events, context]: Parameters<NonNullable<Projection['prepare']>>): Promise<void> =>
    this.onPrepare(events, context);

  async plan(...[events, , tables]: Parameters<Projection['plan']>): Promise<Write> {
    const rows = events.map(({ stream, revision, event }) => {
      const { content = '' } = event.data as { content?: string };
      this.onEvent(content);
      return [stream, revision, content];
    });
    const into = `insert into ${tables(this.name)} (stream, revision, text) values ($1, $2, $3)`;
    return together(...rows.map((row) => statement(into, row)));
  }

  readonly holds = { nothing: 'the journal of a test' };

  digest(...[tables]: Parameters<Projection['digest']>): string {
    return `select coalesce(string_agg(concat_ws(' ', stream, revision, text), ',' order by stream, revision, n), '') as digest from ${tables(this.name)}`;
  }

  /** The rows that it has written, in order. */
  rows(sql: Sql, generation = 1): Promise<JournalRow[]> {
    return sql.query<JournalRow>(
      `select stream, revision, text from read.${this.name}_g${generation} order by n`,
    );
  }

  async texts(sql: Sql, generation = 1): Promise<string[]> {
    return (await this.rows(sql, generation)).map(({ text }) => text);
  }
}
