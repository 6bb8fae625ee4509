import { queryTerms } from '../text/tokens.ts';
import type { ProfileCandidate, SummaryCandidate } from './block.ts';
import { profileEntry, profileShare, summaryEntries } from './blocks.ts';
import type { Candidate, ContextItem, CountTokens, LeftOut } from './candidate.ts';
import {
  entryText,
  isWhole,
  itemOf,
  textOf,
  type BlockEntry,
  type Entry,
  type MemoryEntry,
} from './entries.ts';
import { dayOf, lineOf, type Notes } from './line.ts';
import { pack } from './pack.ts';
import { quotationsOf, type Quotation } from './quotations.ts';
import { Repetition } from './repetition.ts';
import { Said } from './said.ts';
import { recentTurns } from './turns.ts';

export interface ContextRequest {
  readonly query: string;
  /** Budget in tokens. */
  readonly budget: number;
  /** Most relevant first, without duplicates. */
  readonly candidates: readonly Candidate[];
  /** Recent turns of the session, the newest first. */
  readonly turns?: readonly Candidate[];
  /** Summaries of the layers that matter, the most relevant first. */
  readonly summaries?: readonly SummaryCandidate[];
  readonly profile?: ProfileCandidate | undefined;
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
  /** The profile and the summaries in the text, in its order. */
  readonly blocks: readonly BlockEntry[];
}

/** Marks of this number or less have the same length in tokens. */
const longestMark = 999;

/**
 * The best text for a question within a budget: a profile of the user, if there is one; recent turns of the session; memories, whole or
 * in part, verbatim after their marks `[n]`, the most relevant first; then summaries in the room that is left. Nothing is said twice.
 * What another candidate supersedes is left out unless the question asks about the past. Deterministic; in steps, so that a caller can
 * let other work run between them.
 */
export function* assemblySteps(request: ContextRequest): Generator<undefined, AssembledContext, undefined> {
  const { query, candidates, profile, summaries = [], asksPast, asksTime, budget, count } = request;
  const { turns: allTurns = [] } = request;
  const turns = recentTurns({ turns: allTurns, candidates, budget, count });
  const turnIds = new Set(turns.map(({ memory }) => memory.id));
  const replaced = replacedBy(candidates);
  const isOutdated = ({ supersededBy }: Candidate) =>
    !asksPast && supersededBy !== undefined && candidates.some(({ id }) => id === supersededBy);
  const outdated = candidates.filter(isOutdated).map(({ id }) => id);
  const current = candidates.filter((one) => !isOutdated(one) && !turnIds.has(one.id));
  const notesOf = (one: Candidate): Notes => ({
    isDated: asksTime || one.isDated === true,
    replaces: asksPast ? undefined : replaced.get(one.id),
  });
  const profiled = (said: Said): BlockEntry[] => {
    const entry = profile && profileEntry(profile, said, profileShare * budget, count);
    return entry ? [entry] : [];
  };
  // A relevant memory is quoted as a memory, not in the profile. Until those are chosen, reserve the room of the whole profile.
  const reserved = [...profiled(new Said([...turnIds, ...outdated], turns.map(entryText))), ...turns];
  const terms = queryTerms(query);
  const quotations = new Map<number, readonly Quotation[]>();
  const repetition = new Repetition(
    [...current, ...turns.map(({ memory }) => memory)].map(({ content }) => content),
  );
  const indicesOfTurns = turns.map((_, at) => current.length + at);
  const { chosen, repeated } = yield* pack(current, budget - count(textOf(reserved)), {
    quotations: (index) => {
      const { content, passage, isBrief } = current[index]!;
      const known = quotations.get(index) ?? quotationsOf(content, passage, terms);
      quotations.set(index, known);
      return isBrief ? known.slice(0, 1) : known;
    },
    cost: (index, span) => count(`${lineOf(longestMark, current[index]!, span, notesOf(current[index]!))}\n`),
    repeats: (index, others) =>
      [...indicesOfTurns, ...others].some((other) => repetition.isBetween(index, other)),
  });
  const kept = [...chosen];
  const memories = (): MemoryEntry[] =>
    kept
      .toSorted(([left], [right]) => left - right)
      .map(([index, span]) => {
        const memory = current[index]!;
        const kind = isWhole(memory, span) ? 'memory' : 'passage';
        return { kind, memory, span, notes: notesOf(memory) };
      });
  // The tokens of a text may be more than those of its lines.
  while (kept.length > 0 && count(textOf([...reserved, ...memories()])) > budget) kept.pop();
  yield;
  const evidence: readonly MemoryEntry[] = [...turns, ...memories()];
  const shownIds = new Set(evidence.map(({ memory }) => memory.id));
  const repeatedIds = new Set(repeated.map((index) => current[index]!.id));
  const said = new Said([...shownIds, ...repeatedIds, ...outdated], evidence.map(entryText));
  const before = fitting([...profiled(said), ...evidence], { budget, count });
  const shown = [...before, ...summaryEntries(summaries, said, { before, budget, count })];
  const text = textOf(shown);
  const foundIds = new Set(candidates.map(({ id }) => id));
  const leftOut = [...candidates, ...allTurns.filter(({ id }) => !foundIds.has(id))]
    .filter(({ id }) => !shownIds.has(id))
    .map((one): LeftOut => ({
      id: one.id,
      reason: isOutdated(one) ? 'superseded' : repeatedIds.has(one.id) ? 'duplicate' : 'budget',
    }));
  const items = shown.map((entry, index) => itemOf(entry, index + 1, count));
  const blocks = shown.filter((entry) => 'block' in entry);
  return { text, tokenCount: text === '' ? 0 : count(text), items, leftOut, blocks };
}

/** The entries, without the profile if they exceed the budget with it. */
function fitting(
  entries: readonly Entry[],
  { budget, count }: Pick<ContextRequest, 'budget' | 'count'>,
): readonly Entry[] {
  return count(textOf(entries)) <= budget ? entries : entries.filter((entry) => 'memory' in entry);
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
