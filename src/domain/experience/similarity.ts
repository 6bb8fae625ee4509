import { queryTerms } from '../text/tokens.ts';

/**
 * Pairs of questions that ask the same; each pair is about something else. A measure is calibrated by two medians over them: that of the
 * questions of a pair, and that of questions of different pairs.
 */
const samePairs: readonly (readonly [string, string])[] = [
  ['When are releases cut?', 'On which day do we cut a release?'],
  ['Who owns the billing service?', 'Which team is responsible for billing?'],
  ['Find best practices for onboarding', 'What works best when somebody new joins the team?'],
  ['How do I reset my password?', 'I forgot my password, how can I change it?'],
  ['What did Caroline say about her adoption plans?', "What are Caroline's plans to adopt a child?"],
  ['Where is the office in Berlin?', 'What is the address of our Berlin office?'],
  ['How long are access tokens cached?', 'What is the cache time of access tokens in the gateway?'],
  ['Which database does the search service use?', 'What DB is used by search?'],
  ['List all incidents from March', 'What incidents happened in March?'],
  ['Cancel my flight to Boston', 'I want to cancel the Boston flight I booked'],
  ['What is the retention period of audit logs?', 'How long do we keep audit logs?'],
  ['Why did the deploy fail yesterday?', "What was the cause of yesterday's failed deployment?"],
];

/** Medians of a measure: of questions of different pairs, and of the two questions of a pair. */
export interface Medians {
  readonly unrelated: number;
  readonly same: number;
}

/**
 * A text that no model has a word for. The vector of a question that is about as near to it as a paraphrase says only that the model
 * could not read the question, such as one in a script that it does not know.
 */
export const unreadText = '\u{13080}';

/** The medians of bge-small-en-v1.5, whose cosines are the scale of `similarity`. */
const reference: Medians = { unrelated: 0.43, same: 0.88 };

/** If its medians are closer, a measure cannot tell whether two questions ask the same. */
const leastDistance = 0.03;

/** The questions of `samePairs` in order. */
export const pairedQuestions: readonly string[] = samePairs.flat();

/** The medians of a measure, which gets indexes of `pairedQuestions`. Undefined if they are too close to be of use. */
export function mediansOf(measure: (left: number, right: number) => number): Medians | undefined {
  const same: number[] = [];
  const unrelated: number[] = [];
  for (let left = 0; left < pairedQuestions.length; left++)
    for (let right = left + 1; right < pairedQuestions.length; right++)
      (left >> 1 === right >> 1 ? same : unrelated).push(measure(left, right));
  const medians = { unrelated: median(unrelated), same: median(same) };
  return medians.same - medians.unrelated < leastDistance ? undefined : medians;
}

/**
 * A value of a measure as a similarity, 0..1. It is linear between the medians, so that .8 means the same with every model, and 1 for
 * equal texts.
 */
export function similarity(value: number, { unrelated, same }: Medians): number {
  if (value >= 1) return 1;
  const mapped =
    value > same
      ? reference.same + ((1 - reference.same) * (value - same)) / (1 - same)
      : reference.unrelated +
        ((reference.same - reference.unrelated) * (value - unrelated)) / (same - unrelated);
  return Math.min(1, Math.max(0, mapped));
}

/** The least value of a measure whose similarity is `least`, up to rounding: what has a lower value is less similar. */
export function leastValue(least: number, { unrelated, same }: Medians): number {
  if (least <= 0) return -Infinity;
  return least > reference.same
    ? same + ((1 - same) * (least - reference.same)) / (1 - reference.same)
    : unrelated +
        ((same - unrelated) * (least - reference.unrelated)) / (reference.same - reference.unrelated);
}

/** How similar two questions are by their words, 0..1: Dice's coefficient of their terms. */
function termLikeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size + right.size === 0) return 0;
  let common = 0;
  for (const term of left) if (right.has(term)) common++;
  return (2 * common) / (left.size + right.size);
}

/** The stemmed words of a question, without stop words. */
function termsOf(question: string): ReadonlySet<string> {
  return new Set(queryTerms(question));
}

/** Compares questions with this one by their words alone; returns their similarities, 0..1. */
export function similarityByWords(question: string): (other: string) => number {
  const terms = termsOf(question);
  return (other) => (other === question ? 1 : similarity(termLikeness(terms, termsOf(other)), wordMedians));
}

/** The medians of `termLikeness`. */
export const wordMedians: Medians = (() => {
  const terms = pairedQuestions.map(termsOf);
  return mediansOf((left, right) => termLikeness(terms[left]!, terms[right]!))!;
})();

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
