import type { Row } from '../../ports/sql.ts';
import type { SqlFailure } from '../sql/error.ts';
import type { WireValue } from '../sql/values.ts';

/** What the worker thread is started with. */
export interface EngineData {
  /** PostgreSQL's own folder; undefined keeps the database in memory. */
  readonly cluster: string | undefined;
  /** Folder of this package, below whose `.cache` the template of a new database is kept. */
  readonly packageRoot: string;
}

/** One message, one answer; the worker handles them strictly in the order of their arrival. */
export interface EngineMessage {
  readonly id: number;
  readonly request: EngineRequest;
  /** Nobody waits for it. */
  readonly background: boolean;
}

/** What the database is to do. */
export type EngineRequest =
  /** One statement, in the transaction that is open, in one of its own, or between `begin` and a commit. */
  | {
      readonly kind: 'statement';
      readonly text: string;
      readonly params: readonly WireValue[];
      readonly begin?: string;
    }
  /** One statement, in the transaction that is open or in one of its own, which comes again and again: its plan is kept. */
  | { readonly kind: 'prepared'; readonly text: string; readonly params: readonly WireValue[] }
  /** Statements without parameters, one after another. */
  | { readonly kind: 'script'; readonly statements: readonly string[] }
  /** Writes a checkpoint and ends the thread. */
  | { readonly kind: 'close' };

/** An answer of PostgreSQL as its reader has it. */
export interface EngineResult {
  /** By the names of their columns, as JavaScript values. */
  readonly rows: readonly Row[];
  /** PostgreSQL's command tag of the last statement: `INSERT 0 1`, `COMMIT`, … */
  readonly tag: string;
}

export interface EngineNotice {
  readonly severity: string;
  readonly message: string;
}

export type EngineEvent =
  | { readonly kind: 'ready' }
  /** PostgreSQL's messages, errors among them, to be read where they are wanted: rows cross threads several times as fast as bytes. */
  | { readonly kind: 'reply'; readonly id: number; readonly reply: Uint8Array }
  /** PostgreSQL did not come to answer the request. */
  | { readonly kind: 'failure'; readonly id: number; readonly failure: SqlFailure }
  | { readonly kind: 'notification'; readonly channel: string }
  | { readonly kind: 'notice'; readonly notice: EngineNotice }
  /** The last message of an engine that cannot go on, `code` being the SQLSTATE if PostgreSQL gave one. */
  | { readonly kind: 'stopped'; readonly reason: string; readonly code?: string };
