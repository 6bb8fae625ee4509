import { sentencesOf } from '../../text/sentences.ts';
import { truncate } from '../../text/truncate.ts';

/** Maximum number of UTF-16 units of a memory that are compared, so that one long memory does not take too much time. */
const maxLength = 32_768;
const maxSentences = 300;
/** In UTF-16 units. Longer sentences are cut. */
const maxSentenceLength = 600;

/** Ends of clauses, and of parts of a list or table within a line. */
const CLAUSE_END = /[|·•]|(?<=[;…]["”)]?)\s/u;

/** Marks of speakers and lists at the start of a line. */
const LEAD =
  /^\s*(?:[-*>#]+\s+|\d{1,3}[.)]\s+)*(?:(?:user|assistant|agent|human|ai)(?:\s*\([^)]{0,40}\))?:\s+)?/i;

/** The sentences and clauses of a text, as they are written and in their order: the first 300 of its first 32,768 UTF-16 units. */
export function splitSentences(text: string): string[] {
  const compared = truncate(text, maxLength);
  return sentencesOf(compared)
    .flatMap(({ start, end }) => compared.slice(start, end).split(CLAUSE_END))
    .map((part) => truncate(part.replace(LEAD, '').trim(), maxSentenceLength))
    .filter(({ length }) => length > 2)
    .slice(0, maxSentences);
}
