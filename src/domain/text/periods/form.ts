import type { Ends } from './calendar.ts';

/** A way to write a time. */
export interface Form {
  /** A pattern with the flag `g`. */
  readonly pattern: RegExp;
  /**
   * The period. `none` if the words name an ambiguous time ("11/12/2026"), so that no other form reads a part of them. Undefined if
   * they are not a time of this form.
   */
  readonly read: (match: FormMatch, now: Date | undefined) => ReadPeriod | 'none' | undefined;
}

export interface FormMatch {
  /** The whole text of the match. */
  readonly text: string;
  /** The text of a named group; empty if it is not part of the match. */
  readonly group: (name: string) => string;
  readonly has: (name: string) => boolean;
  /** The text before the match, at most 40 characters. */
  readonly before: string;
  /** The text after it, also at most 40 characters. */
  readonly after: string;
}

export interface ReadPeriod extends Ends {
  /** Default: true. */
  readonly isPlain?: boolean;
}

export function form(source: string, read: Form['read'], flags = 'gi'): Form {
  return { pattern: new RegExp(source, flags), read };
}
