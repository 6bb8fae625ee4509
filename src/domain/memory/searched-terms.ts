import { completed, type Steps } from '../steps.ts';
import { countTextSteps, type CountedPassages } from '../text/passage-terms.ts';
import { passageText } from '../text/passages.ts';
import { MAX_DISTINCT_TERMS, termCountSteps, type TermCounts } from '../text/tokens.ts';
import { searchedPassageSteps, textAround, textsOf, type SearchedText } from './searched-text.ts';

/** Counts the terms of a memory: those of its content and of its representations together. */
export function* searchedTermSteps(text: SearchedText): Steps<TermCounts> {
  const [content, ...representations] = textsOf(text);
  const own = yield* termCountSteps(content!);
  if (representations.length === 0) return own;
  const counts = new Map(own.counts);
  let { length } = own;
  for (const representation of representations) {
    const further = yield* termCountSteps(representation);
    for (const [term, count] of further.counts)
      if (counts.has(term) || counts.size < MAX_DISTINCT_TERMS)
        counts.set(term, (counts.get(term) ?? 0) + count);
    length += further.length;
  }
  return { counts, length };
}

export function searchedTerms(text: SearchedText): TermCounts {
  return completed(searchedTermSteps(text));
}

/** Counts the terms of each passage of a memory (`searchedPassageSteps`); undefined if it has none. */
export function* searchedPassageTermSteps(text: SearchedText): Steps<CountedPassages | undefined> {
  const passages = yield* searchedPassageSteps(text);
  return yield* countTextSteps(passages.map((passage) => passageText(textAround(text, passage), passage)));
}

export function searchedPassageTerms(text: SearchedText): CountedPassages | undefined {
  return completed(searchedPassageTermSteps(text));
}
