import type { LinkType } from '../links/links.ts';
import type { JsonValue } from '../json.ts';

/** A field and its values in two memories, in the order in which the verdict names the memories. */
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

/** What differs between two otherwise equal texts; `word` is a pair of mutually exclusive words. */
export type Difference = 'number' | 'date' | 'negation' | 'name' | 'word';

/** Why two memories are reported. Each reason quotes evidence that a person can look up in them. */
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
  | {
      readonly code: 'update';
      readonly difference: Difference;
      readonly words: readonly [string, string];
      /** The sentences that contain these words. */
      readonly passages: readonly [string, string];
      /** Words of both sentences that show that they are about the same thing. */
      readonly shared: readonly string[];
    }
);

/** One memory replaces another, or two memories cannot both be true. */
export type Verdict =
  | { readonly kind: 'supersession'; readonly older: string; readonly newer: string; readonly reason: Reason }
  | {
      readonly kind: 'contradiction';
      readonly memories: readonly [string, string];
      readonly reason: Reason;
    };
