import { queryTerms } from '../text/tokens.ts';
import type { ProfileCandidate, SummaryCandidate } from './block.ts';
import { profileEntry, profileShare, summaryEntries } from './blocks.ts';
import type { ContextCandidate, ContextItem, CountTokens, LeftOut } from './candidate.ts';
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
  /** In tokens. */
  readonly budget: number;
  /** Most relevant first, without duplicates. */
  readonly candidates: readonly ContextCandidate[];
  /** Recent turns of the session, the newest first. */
  readonly turns?: readonly ContextCandidate[];
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
  /** Tokens of `text`; never more than the budget. */
  readonly tokenCount: number;
  /** In the order of their marks in `text`. */
  readonly items: readonly ContextItem[];
  readonly leftOut: readonly LeftOut[];
  /** The profile and the summaries in the text, in its order. */
  readonly blocks: readonly BlockEntry[];
}

/** Marks of this number or less have the same length in tokens. */
const maxMark = 999;

/**
 * The best text for a question within a budget: a profile of the user, if there is one; recent turns of the session; memories, whole or
 * in part, verbatim after their marks `[n]`, the most relevant first; then summaries in the room that is left. Nothing is said twice.
 * What another candidate supersedes is left out unless the question asks about the past. Deterministic; in steps, so that a caller can
 * let other work run between them.
 */
export function* assemblySteps(request: ContextRequest): Generator<undefined, AssembledContext, undefined> {
  const { candidates, budget, count } = request;
  const { turns: sessionTurns = [] } = request;
  const turns = recentTurns({ turns: sessionTurns, candidates, budget, count });
  const isOutdated = outdatedAmong(request);
  const outdated = candidates.filter(isOutdated).map(({ id }) => id);
  const { memories, repeated } = yield* chooseMemories(request, turns, outdated);
  yield;
  const evidence = [...turns, ...memories];
  const shown = withBlocks(request, evidence, [...repeated, ...outdated]);
  const text = textOf(shown);
  const [foundIds, shownIds] = [idsOf(candidates), idsOf(evidence.map(({ memory }) => memory))];
  const leftOut = [...candidates, ...sessionTurns.filter(({ id }) => !foundIds.has(id))]
    .filter(({ id }) => !shownIds.has(id))
    .map((one): LeftOut => {
      const reason = isOutdated(one) ? 'superseded' : repeated.includes(one.id) ? 'duplicate' : 'budget';
      return { id: one.id, reason };
    });
  return {
    text,
    tokenCount: text === '' ? 0 : count(text),
    items: shown.map((entry, index) => itemOf(entry, index + 1, count)),
    leftOut,
    blocks: shown.filter((entry) => 'block' in entry),
  };
}

const idsOf = (candidates: readonly ContextCandidate[]): ReadonlySet<string> =>
  new Set(candidates.map(({ id }) => id));

/** Whether another candidate supersedes this one, unless the question asks about the past. */
function outdatedAmong({ candidates, asksPast }: ContextRequest): (one: ContextCandidate) => boolean {
  const ids = idsOf(candidates);
  return ({ supersededBy }) => !asksPast && supersededBy !== undefined && ids.has(supersededBy);
}

interface Chosen {
  /** In the order of the candidates. */
  readonly memories: readonly MemoryEntry[];
  /** Ids of the memories that say nothing that the chosen ones and the turns do not say. */
  readonly repeated: readonly string[];
}

/** The memories, whole or in part, that fit beside the turns and the whole profile. */
function* chooseMemories(
  request: ContextRequest,
  turns: readonly MemoryEntry[],
  outdated: readonly string[],
): Generator<undefined, Chosen, undefined> {
  const { query, candidates, budget, count } = request;
  const shownAsTurns = idsOf(turns.map(({ memory }) => memory));
  const leftOut = new Set([...outdated, ...shownAsTurns]);
  const current = candidates.filter(({ id }) => !leftOut.has(id));
  // A relevant memory is quoted as a memory, not in the profile. Until those are chosen, reserve the room of the whole profile.
  const reserved = [...profileOf(request, new Said(leftOut, turns.map(entryText))), ...turns];
  const notesOf = notesFor(request);
  const quotations = quotationCache(current, queryTerms(query));
  const repetition = new Repetition(
    [...current, ...turns.map(({ memory }) => memory)].map(({ content }) => content),
  );
  const indicesOfTurns = turns.map((_, at) => current.length + at);
  const { chosen, repeated } = yield* pack(current, budget - count(textOf(reserved)), {
    quotations,
    cost: (index, span) => count(`${lineOf(maxMark, current[index]!, span, notesOf(current[index]!))}\n`),
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
  return { memories: memories(), repeated: repeated.map((index) => current[index]!.id) };
}

/** The parts of a memory that may be quoted, by its index; computed once for each. */
function quotationCache(
  memories: readonly ContextCandidate[],
  terms: readonly string[],
): (index: number) => readonly Quotation[] {
  const cache = new Map<number, readonly Quotation[]>();
  return (index) => {
    const { content, passage, isBrief } = memories[index]!;
    const quotations = cache.get(index) ?? quotationsOf(content, passage, terms);
    cache.set(index, quotations);
    return isBrief ? quotations.slice(0, 1) : quotations;
  };
}

/** What a line says beside its memory: its day, and the day of the latest memory that it replaced. */
function notesFor({ candidates, asksPast, asksTime }: ContextRequest): (one: ContextCandidate) => Notes {
  const replaced = new Map<string, string>();
  for (const { supersededBy, time } of candidates) {
    const day = dayOf(time);
    if (supersededBy !== undefined && day > (replaced.get(supersededBy) ?? ''))
      replaced.set(supersededBy, day);
  }
  return (one) => ({
    isDated: asksTime || one.isDated === true,
    replaces: asksPast ? undefined : replaced.get(one.id),
  });
}

/** The entries with the profile before them, if it fits, and with summaries after them. Neither repeats an entry or an omitted memory. */
function withBlocks(
  request: ContextRequest,
  evidence: readonly MemoryEntry[],
  omitted: readonly string[],
): readonly Entry[] {
  const { summaries = [], budget, count } = request;
  const ids = [...evidence.map(({ memory }) => memory.id), ...omitted];
  const said = new Said(ids, evidence.map(entryText));
  const profiled = [...profileOf(request, said), ...evidence];
  const before = count(textOf(profiled)) <= budget ? profiled : evidence;
  return [...before, ...summaryEntries(summaries, said, { before, budget, count })];
}

/** The entry of the profile, without what is said already; none if there is nothing else. */
function profileOf({ profile, budget, count }: ContextRequest, said: Said): readonly BlockEntry[] {
  const entry = profile && profileEntry(profile, said, profileShare * budget, count);
  return entry ? [entry] : [];
}
