import { truncate } from '../../text/truncate.ts';

/** Maximum number of UTF-16 units of a memory that are compared, so that one long memory does not take too much time. */
const maxLength = 32_768;
const maxSentences = 300;
/** In UTF-16 units. Longer sentences are cut. */
const maxSentenceLength = 600;

/** Ends of sentences: line ends, and full stops before a space, except after titles, initials and ordinal numbers. */
const SENTENCE_END =
  /\r\n?|[\n\u2028\u2029|·•]|(?<=[。！？])|(?<=[!?;…]["”)]?)\s|(?<!(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|Nr|No|vs|approx|ca|e\.g|i\.e|z\.B|bzw|Sra?|Dra?|Mme|[A-Z]|\d{1,2})\.)(?<=\.["”)]?)\s/u;

/** Marks of speakers and lists at the start of a line. */
const LEAD =
  /^\s*(?:[-*>#]+\s+|\d{1,3}[.)]\s+)*(?:(?:user|assistant|agent|human|ai)(?:\s*\([^)]{0,40}\))?:\s+)?/i;

/** The sentences of a text, as they are written and in their order: the first 300 of its first 32,768 UTF-16 units. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  for (const part of truncate(text, maxLength).split(SENTENCE_END)) {
    const sentence = truncate((part ?? '').replace(LEAD, '').trim(), maxSentenceLength);
    if (sentence.length > 2) sentences.push(sentence);
    if (sentences.length === maxSentences) break;
  }
  return sentences;
}
