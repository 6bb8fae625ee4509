import type { Block, BlockStatement, ProfileCandidate, SummaryCandidate } from './block.ts';
import type { CountTokens } from './candidate.ts';
import { textOf, type BlockEntry, type Entry } from './entries.ts';
import type { Said } from './said.ts';

/** The share of the budget that a profile takes at most. */
export const profileShare = 0.2;
/** The share of the budget that all summaries together take at most. */
const summaryShare = 0.25;
const mostSummaries = 3;

/** The most important statements that are not said yet, as many as fit into `room` tokens; undefined if there are none. */
export function profileEntry(
  { statements, ...scope }: ProfileCandidate,
  said: Said,
  room: number,
  count: CountTokens,
): BlockEntry | undefined {
  const chosen: BlockStatement[] = [];
  for (const statement of statements) {
    if (said.has(statement)) continue;
    const longer = [...chosen, statement];
    if (count(textOf([entryOf({ kind: 'profile', ...scope, statements: longer })])) > room) continue;
    chosen.push(statement);
    said.add(statement);
  }
  return chosen.length > 0 ? entryOf({ kind: 'profile', ...scope, statements: chosen }) : undefined;
}

export interface SummaryRoom {
  /** What is in the context already. */
  readonly before: readonly Entry[];
  readonly budget: number;
  readonly count: CountTokens;
}

/**
 * Summaries for the room that is left behind the other items, the most relevant first, each in the deepest depth that fits and without
 * what is said already. One that has nothing new to say is skipped.
 */
export function summaryEntries(
  candidates: readonly SummaryCandidate[],
  said: Said,
  { before, budget, count }: SummaryRoom,
): readonly BlockEntry[] {
  const taken = count(textOf(before));
  const limit = Math.min(budget, taken + summaryShare * budget);
  const chosen: BlockEntry[] = [];
  for (const candidate of candidates) {
    if (chosen.length === mostSummaries) break;
    const entry = deepestThatFits(
      candidate,
      said,
      (one) => count(textOf([...before, ...chosen, one])) <= limit,
    );
    if (!entry) continue;
    for (const statement of entry.block.statements) said.add(statement);
    chosen.push(entry);
  }
  return chosen;
}

/** In the deepest depth of which all that is new fits; if there is none, as much of the deepest as fits. */
function deepestThatFits(
  { versions, ...scope }: SummaryCandidate,
  said: Said,
  fits: (entry: BlockEntry) => boolean,
): BlockEntry | undefined {
  const entries = versions.flatMap(({ depth, statements }) => {
    const isNew = statements.filter((statement) => !said.has(statement));
    return isNew.length > 0 ? [{ depth, statements: isNew }] : [];
  });
  const entryWith = (version: (typeof entries)[number]) => entryOf({ kind: 'summary', ...scope, ...version });
  for (const version of entries) if (fits(entryWith(version))) return entryWith(version);
  const chosen: BlockStatement[] = [];
  for (const statement of entries[0]?.statements ?? [])
    if (fits(entryWith({ ...entries[0]!, statements: [...chosen, statement] }))) chosen.push(statement);
  return chosen.length > 0 ? entryWith({ ...entries[0]!, statements: chosen }) : undefined;
}

const entryOf = (block: Block): BlockEntry => ({ kind: block.kind, block });
