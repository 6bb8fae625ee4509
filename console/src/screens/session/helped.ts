import type { OutcomeData } from './events.ts';

/** The outcome of a search that counts. */
export interface Outcome {
  readonly kind: 'used' | 'refined' | 'ignored' | 'none';
  /** How good what was used was, 0 to 1. */
  readonly quality?: number;
  /** Whether a caller reported it; otherwise it was inferred. */
  readonly explicit: boolean;
}

/**
 * The one outcome of a search, by the rule of the server (`src/domain/learning/outcome.ts`, which a test compares it with): the caller's
 * latest report, else the best feedback that was not withdrawn, else that the session asked again, else its use in a context, else that it
 * was ignored. The events are in the order of the log.
 */
export function outcomeOf(recorded: readonly OutcomeData[]): Outcome {
  const latestFeedback = new Map(
    recorded.filter(({ source }) => source === 'feedback').map((one) => [one.memoryIds[0], one]),
  );
  const standing = recorded.filter(
    (one) =>
      one.source !== 'feedback' || (one.kind !== 'withdrawn' && latestFeedback.get(one.memoryIds[0]) === one),
  );
  const of = (source: OutcomeData['source']) => standing.filter((one) => one.source === source);
  const said = of('caller').at(-1) ?? of('feedback').reduce(better, undefined);
  if (said)
    return {
      kind: said.kind === 'withdrawn' ? 'none' : said.kind,
      ...(said.quality !== undefined && { quality: said.quality }),
      explicit: true,
    };
  if (of('refinement').length > 0) return { kind: 'refined', explicit: false };
  if (of('context').length > 0) return { kind: 'used', quality: 0.6, explicit: false };
  return { kind: standing.length > 0 ? 'ignored' : 'none', explicit: false };
}

function better(best: OutcomeData | undefined, one: OutcomeData): OutcomeData {
  const rank = ({ kind, quality = 0 }: OutcomeData) => (kind === 'used' ? 1 + quality : 0);
  return best && rank(best) >= rank(one) ? best : one;
}

/** Reward of a search, −1 to 1, with the default weights of the server: success, and up to 0.3 for the tokens that were not spent. */
export function rewardOf({ kind, quality = 1 }: Outcome, tokens: number): number {
  const success = { used: quality, refined: 0.3, ignored: -0.5, none: 0 }[kind];
  const saved = 1 - Math.min(tokens / 100_000, 1);
  return Math.min(1, Math.max(-1, success + 0.3 * saved));
}
