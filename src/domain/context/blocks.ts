import type { Block, BlockStatement, ProfileCandidate, SummaryCandidate } from './block.ts';
import type { CountTokens } from './candidate.ts';
import { textOf, type BlockEntry, type Entry } from './entries.ts';
import type { Said } from './said.ts';

/** Greatest share of the budget for a profile. */
export const profileShare = 0.2;
/** Greatest share of the budget for all summaries together. */
const summaryShare = 0.25;
const mostSummaries = 3;

/** The most important statements that the context does not have yet, as many as fit into `room` tokens; undefined if none does. */
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

interface SummaryRoom {
  /** What is in the context already. */
  readonly before: readonly Entry[];
  readonly budget: number;
  readonly count: CountTokens;
}

/**
 * Summaries for the room that the other items leave, the most relevant first, each at the deepest depth that fits and without statements
 * that the context already has. A summary without any new statement is skipped.
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

/** The summary at the deepest depth whose new statements all fit. If they fit at no depth, those of the deepest that do fit. */
function deepestThatFits(
  { versions, ...scope }: SummaryCandidate,
  said: Said,
  fits: (entry: BlockEntry) => boolean,
): BlockEntry | undefined {
  const entries = versions.flatMap(({ depth, statements }) => {
    const unsaid = statements.filter((statement) => !said.has(statement));
    return unsaid.length > 0 ? [entryOf({ kind: 'summary', ...scope, depth, statements: unsaid })] : [];
  });
  const whole = entries.find(fits);
  if (whole || !entries[0]) return whole;
  const { block } = entries[0];
  const chosen: BlockStatement[] = [];
  for (const statement of block.statements)
    if (fits(entryOf({ ...block, statements: [...chosen, statement] }))) chosen.push(statement);
  return chosen.length > 0 ? entryOf({ ...block, statements: chosen }) : undefined;
}

const entryOf = (block: Block): BlockEntry => ({ kind: block.kind, block });
