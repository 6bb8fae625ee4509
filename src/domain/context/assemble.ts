import { queryTerms } from '../text/tokens.ts';
import type { Candidate, ContextItem, CountTokens, LeftOut } from './candidate.ts';
import { dayOf, lineOf } from './line.ts';
import { pack } from './pack.ts';
import { quotationsOf, type Quotation } from './quotations.ts';
import { Repetition } from './repetition.ts';

export interface ContextRequest {
  readonly query: string;
  /** In tokens. */
  readonly budget: number;
  /** Most relevant first, none twice. */
  readonly candidates: readonly Candidate[];
  readonly count: CountTokens;
  /** The question asks how something was: what was superseded belongs in the answer. */
  readonly asksPast: boolean;
  /** The question asks about times: each item names its day. */
  readonly asksTime: boolean;
}

export interface AssembledContext {
  readonly text: string;
  /** Of `text`; never more than the budget. */
  readonly tokenCount: number;
  /** In the order of their marks in `text`. */
  readonly items: readonly ContextItem[];
  readonly leftOut: readonly LeftOut[];
}

/** Marks of this number or less have the same length in tokens. */
const longestMark = 999;

/**
 * The best text for a question within a budget: memories whole or in part, each verbatim behind its mark `[n]`, most relevant first.
 * Nothing is said twice, and what another candidate supersedes is left out unless the question asks for the past. Deterministic.
 */
export function assembleContext(request: ContextRequest): AssembledContext {
  const { query, candidates, asksPast, asksTime, budget, count } = request;
  const replaced = replacedBy(candidates);
  const isOutdated = ({ supersededBy }: Candidate) =>
    !asksPast && supersededBy !== undefined && candidates.some(({ id }) => id === supersededBy);
  const current = candidates.filter((one) => !isOutdated(one));
  const notesOf = (one: Candidate) => ({
    isDated: asksTime,
    replaces: asksPast ? undefined : replaced.get(one.id),
  });
  const terms = queryTerms(query);
  const quotations = new Map<number, readonly Quotation[]>();
  const repetition = new Repetition(current.map(({ content }) => content));
  const { chosen, repeated } = pack(current, budget, {
    quotations: (index) => {
      const { content, passage } = current[index]!;
      const known = quotations.get(index) ?? quotationsOf(content, passage, terms);
      quotations.set(index, known);
      return known;
    },
    cost: (index, span) => count(`${lineOf(longestMark, current[index]!, span, notesOf(current[index]!))}\n`),
    repeats: (index, other) => repetition.isBetween(index, other),
  });
  const kept = [...chosen];
  let [text, tokenCount] = ['', 0];
  for (; kept.length > 0; kept.pop()) {
    const spans = kept.toSorted(([left], [right]) => left - right);
    const lines = spans.map(([index, span], at) =>
      lineOf(at + 1, current[index]!, span, notesOf(current[index]!)),
    );
    text = lines.join('\n');
    tokenCount = count(text);
    if (tokenCount <= budget) break;
    [text, tokenCount] = ['', 0];
  }
  const items = kept
    .toSorted(([left], [right]) => left - right)
    .map(([index, { start, end }], at): ContextItem => {
      const one = current[index]!;
      const isWhole = one.content.slice(start, end) === one.content.trim();
      return {
        kind: isWhole ? 'memory' : 'passage',
        id: one.id,
        ...(one.externalId !== undefined && { externalId: one.externalId }),
        layer: one.layer,
        tokens: count(lineOf(at + 1, one, { start, end }, notesOf(one))),
        citation: `[${at + 1}] ${one.layer} memory ${one.externalId ?? one.id}, ${dayOf(one.time)}`,
        text: one.content.slice(start, end),
        ...(!isWhole && { start, end }),
      };
    });
  const shown = new Set(items.map(({ id }) => id));
  const repeatedIds = new Set(repeated.map((index) => current[index]!.id));
  const leftOut = candidates
    .filter(({ id }) => !shown.has(id))
    .map((one): LeftOut => ({
      id: one.id,
      reason: isOutdated(one) ? 'superseded' : repeatedIds.has(one.id) ? 'duplicate' : 'budget',
    }));
  return { text, tokenCount, items, leftOut };
}

/** The day of the last memory that each one replaced, by its id. */
function replacedBy(candidates: readonly Candidate[]): ReadonlyMap<string, string> {
  const days = new Map<string, string>();
  for (const { supersededBy, time } of candidates) {
    const day = dayOf(time);
    if (supersededBy !== undefined && day > (days.get(supersededBy) ?? '')) days.set(supersededBy, day);
  }
  return days;
}
