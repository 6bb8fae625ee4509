import { trimmed, type Span } from '../text/sentences.ts';
import { queryTerms } from '../text/tokens.ts';
import type { Candidate, ContextItem, CountTokens, LeftOut } from './candidate.ts';
import { dayOf, lineOf, type Notes } from './line.ts';
import { pack } from './pack.ts';
import { quotationsOf, type Quotation } from './quotations.ts';
import { Repetition } from './repetition.ts';

export interface ContextRequest {
  readonly query: string;
  /** Budget in tokens. */
  readonly budget: number;
  /** Most relevant first, without duplicates. */
  readonly candidates: readonly Candidate[];
  /** Recent turns of the session, the newest first. */
  readonly turns?: readonly Candidate[];
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

/** Recent turns take at most this share of the budget. */
const turnShare = 0.25;
const turnsHeading = 'Recent turns of this session:';
const memoriesHeading = 'Memories:';
/** Marks of this number or less have the same length in tokens. */
const longestMark = 999;

/** An item before it has a number. */
interface Entry {
  readonly kind: ContextItem['kind'];
  readonly memory: Candidate;
  readonly span: Span;
  readonly notes: Notes;
}

/**
 * The best text for a question within a budget: recent turns of the session, then memories whole or in part, each verbatim behind its
 * mark `[n]`, most relevant first. Nothing is said twice, and what another candidate supersedes is left out unless the question asks
 * for the past. Deterministic; in steps, so that a caller can let other work run between them.
 */
export function* assemblySteps(request: ContextRequest): Generator<undefined, AssembledContext, undefined> {
  const { query, candidates, asksPast, asksTime, budget, count } = request;
  const turns = recentTurns(request);
  const turnIds = new Set(turns.map(({ memory }) => memory.id));
  const replaced = replacedBy(candidates);
  const isOutdated = ({ supersededBy }: Candidate) =>
    !asksPast && supersededBy !== undefined && candidates.some(({ id }) => id === supersededBy);
  const current = candidates.filter((one) => !isOutdated(one) && !turnIds.has(one.id));
  const notesOf = (one: Candidate): Notes => ({
    isDated: asksTime,
    replaces: asksPast ? undefined : replaced.get(one.id),
  });
  const terms = queryTerms(query);
  const quotations = new Map<number, readonly Quotation[]>();
  const repetition = new Repetition(
    [...current, ...turns.map(({ memory }) => memory)].map(({ content }) => content),
  );
  const indicesOfTurns = turns.map((_, at) => current.length + at);
  const { chosen, repeated } = yield* pack(current, budget - count(textOf(turns)), {
    quotations: (index) => {
      const { content, passage } = current[index]!;
      const known = quotations.get(index) ?? quotationsOf(content, passage, terms);
      quotations.set(index, known);
      return known;
    },
    cost: (index, span) => count(`${lineOf(longestMark, current[index]!, span, notesOf(current[index]!))}\n`),
    repeats: (index, others) =>
      [...indicesOfTurns, ...others].some((other) => repetition.isBetween(index, other)),
  });
  const kept = [...chosen];
  const entries = () => [
    ...turns,
    ...kept
      .toSorted(([left], [right]) => left - right)
      .map(([index, span]): Entry => {
        const memory = current[index]!;
        return { kind: kindOf(memory, span), memory, span, notes: notesOf(memory) };
      }),
  ];
  // The tokens of a text may be more than those of its lines.
  while (kept.length > 0 && count(textOf(entries())) > budget) kept.pop();
  const shown = entries();
  const text = textOf(shown);
  const shownIds = new Set(shown.map(({ memory }) => memory.id));
  const repeatedIds = new Set(repeated.map((index) => current[index]!.id));
  const leftOut = candidates
    .filter(({ id }) => !shownIds.has(id))
    .map((one): LeftOut => ({
      id: one.id,
      reason: isOutdated(one) ? 'superseded' : repeatedIds.has(one.id) ? 'duplicate' : 'budget',
    }));
  const items = shown.map((entry, index) => itemOf(entry, index + 1, count));
  return { text, tokenCount: text === '' ? 0 : count(text), items, leftOut };
}

/** The last turns, in their order, as many as fit whole into their share of the budget without a gap. */
function recentTurns({ turns = [], budget, count }: ContextRequest): readonly Entry[] {
  const entries: Entry[] = [];
  for (const memory of turns) {
    const span = trimmed(memory.content, { start: 0, end: memory.content.length });
    if (!span) continue;
    const longer: Entry[] = [{ kind: 'turn', memory, span, notes: { isDated: false } }, ...entries];
    if (count(textOf(longer)) > turnShare * budget) break;
    entries.unshift(longer[0]!);
  }
  return entries;
}

/** One line for each item; with headings only if there are both turns and memories. */
function textOf(entries: readonly Entry[]): string {
  const firstMemory = entries.findIndex(({ kind }) => kind !== 'turn');
  const lines = entries.map(({ memory, span, notes }, index) => lineOf(index + 1, memory, span, notes));
  if (entries[0]?.kind !== 'turn') return lines.join('\n');
  const memories = firstMemory < 0 ? [] : [memoriesHeading, ...lines.slice(firstMemory)];
  return [turnsHeading, ...lines.slice(0, firstMemory < 0 ? undefined : firstMemory), ...memories].join('\n');
}

function kindOf({ content }: Candidate, { start, end }: Span): 'memory' | 'passage' {
  return content.slice(start, end) === content.trim() ? 'memory' : 'passage';
}

function itemOf({ kind, memory, span, notes }: Entry, n: number, count: CountTokens): ContextItem {
  const { id, externalId, layer, content, time } = memory;
  const { start, end } = span;
  const name = kind === 'turn' ? 'turn' : `${layer} memory`;
  return {
    kind,
    id,
    ...(externalId !== undefined && { externalId }),
    layer,
    tokens: count(lineOf(n, memory, span, notes)),
    citation: `[${n}] ${name} ${externalId ?? id}, ${dayOf(time)}`,
    text: content.slice(start, end),
    ...(kind === 'passage' && { start, end }),
  };
}

/** By memory id: the day of the latest memory that it replaced. */
function replacedBy(candidates: readonly Candidate[]): ReadonlyMap<string, string> {
  const days = new Map<string, string>();
  for (const { supersededBy, time } of candidates) {
    const day = dayOf(time);
    if (supersededBy !== undefined && day > (days.get(supersededBy) ?? '')) days.set(supersededBy, day);
  }
  return days;
}
