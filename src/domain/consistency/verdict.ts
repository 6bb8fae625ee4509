import type { LinkType } from '../links/links.ts';
import type { JsonValue } from '../json.ts';

/** A field with its value in each of two memories, in the order in which the verdict names them. */
export interface FieldPair {
  readonly field: string;
  readonly values: readonly [JsonValue, JsonValue];
}

export interface CitedLink {
  readonly source: string;
  readonly type: LinkType;
  readonly target: string;
  readonly confidence: number;
}

/** What differs in two passages that say the same otherwise; a `word` is one that excludes the other. */
export type Difference = 'number' | 'date' | 'negation' | 'name' | 'word';

/** Why two memories are said to disagree: each quotes what a person can look up in them. */
export type Reason = { readonly detail: string; readonly confidence: number } & (
  | { readonly code: 'link' | 'circle'; readonly links: readonly CitedLink[] }
  | { readonly code: 'declared'; readonly field: string; readonly value: string }
  | {
      readonly code: 'restated';
      readonly same: readonly FieldPair[];
      readonly differs: readonly FieldPair[];
    }
  | {
      readonly code: 'wording';
      readonly difference: Difference;
      readonly words: readonly [string, string];
      readonly passages: readonly [string, string];
    }
);

/** `older` and `newer` where one replaces the other, else two that cannot both hold. */
export type Verdict =
  | { readonly kind: 'supersession'; readonly older: string; readonly newer: string; readonly reason: Reason }
  | {
      readonly kind: 'contradiction';
      readonly memories: readonly [string, string];
      readonly reason: Reason;
    };
