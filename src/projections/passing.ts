import { EmbedderUnavailable } from '../ports/embedder.ts';
import { LexicalIndexUnavailable } from '../ports/lexical-index.ts';
import { LogUnavailable } from '../ports/event-log.ts';
import { SqlUnavailable, sqlState } from '../ports/sql.ts';
import { BookmarkMoved } from './bookmarks.ts';

/** A lost race between transactions, too few resources (a full disk), a system error: SQLSTATE classes 40, 53 and 58. */
const passingStates = /^(40|53|58)/;

/** Out of memory: it passes too, but for a batch that is too large by itself. Its events one by one may go through. */
export function isTooMuchAtOnce(error: unknown): boolean {
  return sqlState(error) === '53200';
}

/** Nothing is wrong with the event: the same page will go through later. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof SqlUnavailable ||
    error instanceof LogUnavailable ||
    error instanceof EmbedderUnavailable ||
    error instanceof LexicalIndexUnavailable ||
    error instanceof BookmarkMoved ||
    passingStates.test(sqlState(error) ?? '')
  );
}
