import {
  DataDirectoryLocked,
  DataDirectoryTooNew,
  DataDirectoryUnusable,
} from '../adapters/pglite/errors.ts';
import { LogIncomplete } from '../adapters/sqllog/sql-event-log.ts';
import { BackupDamaged, BackupRefused } from '../backup/errors.ts';
import { ModelMissing } from '../adapters/onnx/model-files.ts';
import { PostgresNotPrepared } from '../adapters/postgres/errors.ts';
import { SqlError } from '../adapters/sql/error.ts';
import { isRefusal } from '../backends/refusals.ts';
import { SchemaTooNew } from '../adapters/migrate.ts';
import { RootKeyUnusable } from '../adapters/vault/root-key.ts';
import { WrongRootKey } from '../adapters/vault/sql-key-vault.ts';
import { ConfigError } from '../config.ts';
import { EmbedderUnavailable } from '../ports/embedder.ts';
import { LanguageModelFailed } from '../ports/language-model.ts';
import { LogUnavailable } from '../ports/event-log.ts';
import { LexicalIndexUnavailable } from '../ports/lexical-index.ts';
import { SqlUnavailable } from '../ports/sql.ts';
import { TopicMismatch, TransportUnavailable } from '../ports/transport.ts';
import {
  ConnectionLostError,
  ProblemError,
  TimeoutError,
  UnreachableError,
} from '../../packages/client/src/index.ts';
import { ServerMissing } from './client.ts';
import { explainSystemError } from './explain-system-error.ts';
import { RebuildRefused } from './projections.ts';
import { TransferRefused } from './transfer-records.ts';

/** Explains an error to a user at a terminal: what is wrong and what to do. */
export function explain(error: unknown): string {
  if (error instanceof ProblemError) {
    // The detail names the first errors.
    const fields = error.errors
      .map(({ path, message }) => `${path}: ${message}`)
      .filter((line) => !error.detail.includes(line));
    const hint = error.status === 401 ? ['Give a key with --key or STRATALOG_API_KEY.'] : [];
    return [
      `The server refused the request (${error.status} ${error.code}): ${error.detail}`,
      ...fields.map((line) => `  ${line}`),
      ...hint,
    ].join('\n');
  }
  if (error instanceof ServerMissing || error instanceof UnreachableError) {
    return `${error.message}. Start one with \`stratalog serve\`, or name another with --url or STRATALOG_URL.`;
  }
  if (error instanceof TimeoutError) return `The server gave ${error.message}. Run the command again.`;
  if (error instanceof ConnectionLostError) {
    return `${error.message}. Run the command again when the server is back: \`import\` resumes where it stopped.`;
  }
  if (error instanceof ConfigError) return `The configuration is not valid.\n${error.message}`;
  if (error instanceof SqlUnavailable) {
    return `The database cannot be used: ${error.message}\n\`stratalog doctor\` says what is missing.`;
  }
  const unavailable = [LogUnavailable, LexicalIndexUnavailable, TransportUnavailable];
  // A statement that the database refuses is a bug of this program, unless the SQLSTATE is about login or database name.
  const refused = error instanceof SqlError ? /^(28|3D)/.test(error.code ?? '') : isRefusal(error);
  if (refused || unavailable.some((type) => error instanceof type)) {
    return `A server cannot be used: ${(error as Error).message}\n\`stratalog doctor\` says what is missing.`;
  }
  const known = [
    BackupDamaged,
    BackupRefused,
    DataDirectoryLocked,
    DataDirectoryTooNew,
    DataDirectoryUnusable,
    EmbedderUnavailable,
    LanguageModelFailed,
    LogIncomplete,
    ModelMissing,
    PostgresNotPrepared,
    RebuildRefused,
    RootKeyUnusable,
    TransferRefused,
    SchemaTooNew,
    TopicMismatch,
    WrongRootKey,
  ];
  if (known.some((type) => error instanceof type)) return (error as Error).message;
  return (
    explainSystemError(error as NodeJS.ErrnoException) ??
    (error instanceof Error ? (error.stack ?? error.message) : String(error))
  );
}
