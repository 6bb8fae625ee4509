import type { LinkType } from '../links/links.ts';
import type { HeldValue } from '../routing/field-values.ts';

/** How a memory was come by: found for the question, linked to the one before it, or named by that one's text. */
export type Via =
  | { readonly via: 'search' }
  | { readonly via: 'link'; readonly type: LinkType; readonly direction: 'outgoing' | 'incoming' }
  | { readonly via: 'mention'; readonly names: readonly HeldValue[] };

/** A step and how probable it is that it leads on: of a search its score, of a link its confidence. */
export type Step = Via & { readonly memoryId: string; readonly score: number };

/** From the question to a memory, over others. Never empty; no memory stands on it twice. */
export interface Path {
  readonly steps: readonly Step[];
  readonly relevance: number;
}

export function beginPath(step: Step): Path {
  return { steps: [step], relevance: step.score };
}

/**
 * A path that is one step longer, or undefined where it would come back to where it was. Its relevance is the product of
 * its steps: each score is a probability and judges its own step alone, so that the product is the probability that all of
 * them lead on. The least of them would rank the third neighbour of a match with the match, and end no path of sure links.
 */
export function extendPath({ steps, relevance }: Path, step: Step): Path | undefined {
  if (steps.some(({ memoryId }) => memoryId === step.memoryId)) return undefined;
  return { steps: [...steps, step], relevance: relevance * step.score };
}

/** The memory that it leads to. */
export function endOf({ steps }: Path): string {
  return steps.at(-1)!.memoryId;
}

/** The more relevant first, of equals the shorter, of those the one to the newer memory (ids sort by creation). */
export function comparePaths(left: Path, right: Path): number {
  return (
    right.relevance - left.relevance ||
    left.steps.length - right.steps.length ||
    (endOf(left) < endOf(right) ? 1 : -1)
  );
}
