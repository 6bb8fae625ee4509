import { Problem } from '../domain/problems.ts';
import { EmbedderUnavailable } from '../ports/embedder.ts';
import { LogUnavailable } from '../ports/event-log.ts';
import { LexicalIndexUnavailable } from '../ports/lexical-index.ts';
import { SqlUnavailable, sqlState } from '../ports/sql.ts';
import { CheckpointMoved } from './processor.ts';

/** SQLSTATE classes: 40 transaction rollback, 53 insufficient resources (such as a full disk), 58 system error. */
const transientStates = /^(40|53|58)/;

/** Whether the database ran out of memory. It may be the batch that is too large: its events may succeed one by one. */
export function isOutOfMemory(error: unknown): boolean {
  return sqlState(error) === '53200';
}

/** Whether the event is not to blame: handling it again later will succeed. Other errors park the stream of the event. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof SqlUnavailable ||
    error instanceof LogUnavailable ||
    error instanceof EmbedderUnavailable ||
    error instanceof LexicalIndexUnavailable ||
    error instanceof CheckpointMoved ||
    // A read model that the reactor reads is behind.
    (error instanceof Problem && error.code === 'position-timeout') ||
    transientStates.test(sqlState(error) ?? '')
  );
}
