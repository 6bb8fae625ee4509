import type { Row } from '../../ports/sql.ts';
import type { SqlFailure } from '../sql/error.ts';
import type { WireValue } from '../sql/values.ts';

/** Start parameters of the worker thread. */
export interface EngineData {
  /** PostgreSQL's own folder; undefined keeps the database in memory. */
  readonly cluster: string | undefined;
  /** Folder of this package. The template of new databases is cached in its `.cache`. */
  readonly packageRoot: string;
}

/** What the worker thread receives at its start. */
export interface WorkerData extends EngineData {
  /** PostgreSQL, compiled. Threads share the compiled code. */
  readonly postgres: WebAssembly.Module;
}

/** The worker answers each message, strictly in the order of their arrival. */
export interface EngineMessage {
  readonly id: number;
  readonly request: EngineRequest;
  /** No caller waits for the answer. */
  readonly background: boolean;
}

export type EngineRequest =
  /** One statement, in the open transaction, in a transaction of its own, or between `begin` and a commit. */
  | {
      readonly kind: 'statement';
      readonly text: string;
      readonly params: readonly WireValue[];
      readonly begin?: string;
    }
  /** A frequent statement whose plan is cached, in the open transaction or in a transaction of its own. */
  | { readonly kind: 'prepared'; readonly text: string; readonly params: readonly WireValue[] }
  /** Statements without parameters, one after another. */
  | { readonly kind: 'script'; readonly statements: readonly string[] }
  /** Leaves no old bytes in the write-ahead log. */
  | { readonly kind: 'clear-log' }
  /** Writes a checkpoint and ends the thread. */
  | { readonly kind: 'close' };

/** A decoded reply of PostgreSQL. */
export interface EngineResult {
  /** JavaScript values by column name. */
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
  /** PostgreSQL's messages, including errors. They are decoded by the receiver, because bytes cross threads several times as fast as rows. */
  | { readonly kind: 'reply'; readonly id: number; readonly reply: Uint8Array }
  /** The request failed before PostgreSQL answered it. */
  | { readonly kind: 'failure'; readonly id: number; readonly failure: SqlFailure }
  | { readonly kind: 'notification'; readonly channel: string }
  | { readonly kind: 'notice'; readonly notice: EngineNotice }
  /** The last message of an engine that cannot continue. `code` is the SQLSTATE, if there is one. */
  | { readonly kind: 'stopped'; readonly reason: string; readonly code?: string };
