import type { LinkType } from '../links/links.ts';
import type { FieldValuePair } from '../routing/field-values.ts';

/** How a memory was reached: by the search, by a link from the previous memory, or because the previous memory's text names it. */
export type Via =
  | { readonly via: 'search' }
  | { readonly via: 'link'; readonly type: LinkType; readonly direction: 'outgoing' | 'incoming' }
  | { readonly via: 'mention'; readonly names: readonly FieldValuePair[] };

/** A step with the probability that it leads to an answer: a search's score, or a link's confidence. */
export type Step = Via & { readonly memoryId: string; readonly score: number };

/** From the question to a memory, through other memories. Never empty; contains no memory twice. */
export interface Path {
  readonly steps: readonly Step[];
  readonly relevance: number;
}

export function beginPath(step: Step): Path {
  return { steps: [step], relevance: step.score };
}

/**
 * Adds a step to a path; undefined if that would form a circle. The relevance is the product of the steps' scores: each is the
 * probability of its own step, so the product is the probability of the whole path. Their minimum would rank the third
 * neighbour of a match as high as the match, and would never end a path of certain links.
 */
export function extendPath({ steps, relevance }: Path, step: Step): Path | undefined {
  if (steps.some(({ memoryId }) => memoryId === step.memoryId)) return undefined;
  return { steps: [...steps, step], relevance: relevance * step.score };
}

/** Id of the last memory of a path. */
export function endOf({ steps }: Path): string {
  return steps.at(-1)!.memoryId;
}

/** More relevant paths first, then shorter ones, then those to newer memories (ids sort by creation). */
export function comparePaths(left: Path, right: Path): number {
  return (
    right.relevance - left.relevance ||
    left.steps.length - right.steps.length ||
    (endOf(left) < endOf(right) ? 1 : -1)
  );
}
