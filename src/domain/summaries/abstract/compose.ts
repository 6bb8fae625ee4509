import { tokensOfDepth, type Depth } from '../depths.ts';
import type { Count, Extract } from '../extract.ts';
import { isForeign, isSupported, termsOf } from './claims.ts';
import type { Brief, SummaryAnswer } from './prompt.ts';

type Sentence = SummaryAnswer['summaries'][number]['texts'][number]['sentences'][number];
type Terms = readonly ReadonlySet<string>[];

/** Why the answer for a scope is not used: it lacks a text or none fits, or too many sentences failed the check. */
export type Unusable = 'incomplete' | 'unsupported';

/** Least share of the sentences of a scope that must pass the check. */
const leastKept = 0.5;
/** A longer sentence is none. In UTF-16 units. */
const longestSentence = 1_000;
const marks = /\s*\[[\d,\s]+\]/g;

/**
 * The summaries of each scope from the answer of a language model, with marks as in extractive ones. A sentence is left out if its
 * sources do not support it, or if it has words of another scope. If fewer than half of a scope's sentences pass, none is used. A
 * summary has no more tokens than its depth: it ends before the first sentence that is too much.
 */
export function compose(
  briefs: readonly Brief[],
  answer: SummaryAnswer,
  count: Count,
): (readonly Extract[] | Unusable)[] {
  const terms = briefs.map(({ shown }): Terms => shown.map(({ content }) => termsOf(content)));
  return briefs.map((brief, index) => {
    const texts = answer.summaries.find(({ number }) => number === index + 1)?.texts ?? [];
    const others = terms.filter((_, other) => other !== index).flat();
    return composeOne(brief, texts, terms[index]!, others, count);
  });
}

function composeOne(
  brief: Brief,
  texts: SummaryAnswer['summaries'][number]['texts'],
  own: Terms,
  others: Terms,
  count: Count,
): readonly Extract[] | Unusable {
  let all = 0;
  let kept = 0;
  const extracts: Extract[] = [];
  for (const depth of brief.depths) {
    const sentences = (texts.find((text) => text.depth === depth)?.sentences ?? []).map(cleaned);
    const passed = distinct(sentences.filter((sentence) => passes(sentence, own, others)));
    all += sentences.length;
    kept += passed.length;
    const extract = written(brief, depth, passed, count);
    if (extract) extracts.push(extract);
  }
  if (kept < leastKept * all) return 'unsupported';
  return extracts.length === brief.depths.length ? extracts : 'incomplete';
}

/** A model may write marks of its own, which would be taken for ours. */
const cleaned = ({ text, sources }: Sentence): Sentence => ({
  text: text.replaceAll(marks, '').replaceAll(/\s+/g, ' ').trim(),
  sources: [...new Set(sources)],
});

function passes({ text, sources }: Sentence, own: Terms, others: Terms): boolean {
  const cited = sources.map((number) => own[number - 1]);
  if (text === '' || text.length > longestSentence || cited.length === 0) return false;
  if (!cited.every((terms) => terms !== undefined)) return false;
  return isSupported(text, cited) && !isForeign(text, own, others);
}

function distinct(sentences: readonly Sentence[]): Sentence[] {
  return [
    ...new Map(sentences.toReversed().map((sentence) => [sentence.text, sentence])).values(),
  ].toReversed();
}

/** The first sentences, as many as fit; undefined if the first one does not. */
function written(
  { shown }: Brief,
  depth: Depth,
  sentences: readonly Sentence[],
  count: Count,
): Extract | undefined {
  let fitting: Extract | undefined;
  const quoted: number[] = [];
  let content = '';
  for (const { text, sources } of sentences) {
    for (const source of sources) if (!quoted.includes(source)) quoted.push(source);
    const own = sources.map((source) => `[${quoted.indexOf(source) + 1}]`).join('');
    content = `${content === '' ? '' : `${content} `}${text} ${own}`;
    const tokenCount = count(content);
    if (tokenCount > tokensOfDepth[depth]) return fitting;
    const cited = quoted.map((number) => shown[number - 1]!);
    fitting = { depth, content, tokenCount, sources: cited.map(({ id, revision }) => ({ id, revision })) };
  }
  return fitting;
}
