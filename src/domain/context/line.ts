import { quoteText } from '../text/quote.ts';
import type { Span } from '../text/sentences.ts';
import { trustNote } from '../trust/note.ts';
import type { ContextCandidate } from './candidate.ts';

/** What an item says beside its text. */
export interface Notes {
  /** Whether the line names the day of the memory. */
  readonly isDated: boolean;
  /** Day of a memory that this one replaced. */
  readonly replaces?: string | undefined;
}

/** The day of an RFC 3339 time by its own offset. */
export function dayOf(time: string): string {
  return time.slice(0, 10);
}

/** The line of the n-th item: its mark, its notes and its text. */
export function lineOf(
  n: number,
  {
    content,
    time,
    supersededBy,
    refuted,
    trust,
  }: Pick<ContextCandidate, 'content' | 'time' | 'supersededBy' | 'refuted' | 'trust'>,
  span: Span,
  { isDated, replaces }: Notes,
): string {
  const changed = replaces !== undefined || supersededBy !== undefined;
  const origin = trust && trustNote(trust);
  const notes = [
    ...(isDated || changed ? [dayOf(time)] : []),
    ...(replaces === undefined ? [] : [`replaces what was noted on ${replaces}`]),
    ...(supersededBy === undefined ? [] : ['replaced since']),
    ...(refuted === undefined ? [] : [`judged ${refuted}`]),
    ...(origin === undefined ? [] : [origin]),
  ];
  const before = span.start > 0 && content.slice(0, span.start).trim() !== '' ? '… ' : '';
  const after = content.slice(span.end).trim() === '' ? '' : ' …';
  const note = notes.length > 0 ? `(${notes.join(', ')}) ` : '';
  return `[${n}] ${note}${before}${quoteText(content.slice(span.start, span.end))}${after}`;
}
