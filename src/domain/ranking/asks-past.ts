import { asksTime, type AskedTimes } from './dates.ts';

/** Words that only a question about the past needs, in the languages of the tests of search. */
const PAST_WORDS = new RegExp(
  [
    String.raw`\b(?:previously|formerly|former|used\s+to|originally|initially|back\s+then|at\s+first|in\s+the\s+past)\b`,
    String.raw`\b(?:vorher|zuvor|damals|früher|ursprünglich|ehemals)\b`,
    String.raw`(?:\b(?:auparavant|autrefois|jadis|précédemment|initialement)\b|à\s+l[’']époque)`,
    String.raw`\b(?:anteriormente|antiguamente|antigamente|originalmente|solía|en\s+aquel\s+entonces)\b`,
    String.raw`\b(?:precedentemente|in\s+passato|voorheen|destijds|vroeger|oorspronkelijk|eskiden|trước\s+đây)\b`,
    '(?:önceden|раньше|прежде|ранее|изначально)',
    '(?:以前|之前|当时|當時|原来|原來|曾经|曾經|昔|かつて|예전|이전에|당시|원래|पहले|سابقا|في السابق)',
  ].join('|'),
  'iu',
);
const PAST_TENSE = /\b(?:did|was|were|had)\b/i;
/** Words that, with a verb in the past tense, say until when something was so: "What did they use before they switched?" */
const UNTIL_THEN = /\b(?:before|until|till|prior\s+to|last|ago|earlier)\b/i;

/**
 * Whether a question asks how something was, and not how it is: by its words, or because it names a time that is over. "Did"
 * and "was" alone do not say so ("When was the meeting?").
 */
export function asksPast(question: string, times: AskedTimes, now: Date): boolean {
  if (PAST_WORDS.test(question)) return true;
  if (PAST_TENSE.test(question) && (UNTIL_THEN.test(question) || asksTime(times))) return true;
  return times.periods.some(({ until }) => until !== undefined && Date.parse(until) <= now.getTime());
}
