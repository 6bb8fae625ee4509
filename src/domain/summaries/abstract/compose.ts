import { isForeign, termsOf } from '../../grounding/support.ts';
import {
  cleaned,
  distinct,
  isBacked,
  leastKept,
  Marks,
  type CitedSentence,
  type Unusable,
} from '../../grounding/cited-sentences.ts';
import { tokensOfDepth, type Depth } from '../depths.ts';
import type { Count, Extract } from '../extract.ts';
import type { Brief, SummaryAnswer } from './prompt.ts';

type Terms = readonly ReadonlySet<string>[];

/**
 * The summaries of each scope from the answer of a language model, with marks as in extractive ones. A sentence is left out if its
 * sources do not support it, or if it has words of another scope. If fewer than half of a scope's sentences pass, none is used. A
 * summary never has more tokens than its depth allows: it ends before the first sentence that does not fit.
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
    const passed = distinct(
      sentences.filter((sentence) => isBacked(sentence, own) && !isForeign(sentence.text, own, others)),
    );
    all += sentences.length;
    kept += passed.length;
    const extract = written(brief, depth, passed, count);
    if (extract) extracts.push(extract);
  }
  if (kept < leastKept * all) return 'unsupported';
  return extracts.length === brief.depths.length ? extracts : 'incomplete';
}

/** The first sentences, as many as fit; undefined if the first one does not. */
function written(
  { shown }: Brief,
  depth: Depth,
  sentences: readonly CitedSentence[],
  count: Count,
): Extract | undefined {
  let fitting: Extract | undefined;
  const marks = new Marks();
  let content = '';
  for (const { text, sources } of sentences) {
    content = `${content === '' ? '' : `${content} `}${text} ${marks.of(sources)}`;
    const tokenCount = count(content);
    if (tokenCount > tokensOfDepth[depth]) return fitting;
    const cited = marks.cited.map((number) => shown[number - 1]!);
    fitting = { depth, content, tokenCount, sources: cited.map(({ id, revision }) => ({ id, revision })) };
  }
  return fitting;
}
