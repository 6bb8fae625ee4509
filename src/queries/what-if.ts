import type { TenantContext } from '../domain/access/context.ts';
import type { Layer, Scope } from '../domain/layers.ts';
import type { AnswerDifference } from '../domain/retrieval/answer-differences.ts';
import type { Depth } from '../domain/summaries/depths.ts';
import type { Choice } from '../domain/what-if/left-out.ts';
import type { PerformedSearch } from './replay/replayed-search.ts';
import type { RoutedRequest } from './routing/routed-search.ts';
import type { Asked } from './search/answer.ts';

/** A question that is asked with all events and without some. */
export interface WhatIfQuestion {
  readonly searchId?: string | undefined;
  /** The position that it is asked at. */
  readonly position: number;
  readonly caller: TenantContext;
  readonly asked: Asked;
  readonly options: RoutedRequest;
}

export interface WhatIfRequest {
  readonly tenant: string;
  readonly without: Choice;
  readonly questions: readonly WhatIfQuestion[];
}

/** `left-out`: the memory itself is. `follows`: it has another place, or score, because others are. */
export const whatIfCauses = ['left-out', 'follows'] as const;

export interface WhatIfAnswer {
  readonly searchId: string | undefined;
  readonly position: number;
  readonly before: PerformedSearch;
  readonly after: PerformedSearch;
  readonly differences: readonly (AnswerDifference & { readonly cause: (typeof whatIfCauses)[number] })[];
}

/** A summary that would not be there, or would say something else. */
export interface ChangedSummary {
  readonly layer: Layer;
  readonly scope: Scope;
  readonly depth: Depth;
  readonly personalized: boolean;
  readonly generatedAt: string;
  /** The memories that it quotes, or that were shown to its model, and that are left out. */
  readonly leftOut: readonly string[];
  /** When the one before it, which would still be there, was generated. */
  readonly instead: string | undefined;
}

/** A version of the route policy that has learned from searches, or outcomes, that are left out. */
export interface ChangedPolicy {
  readonly version: string;
  readonly inForce: boolean;
  /** Number of decisions that it and the versions before it have learned from. */
  readonly decisions: number;
  readonly leftOut: number;
}

/** A memory whose value, as an importance from 0 to 1, would be another one. */
export interface ChangedValue {
  readonly memoryId: string;
  readonly before: number;
  readonly after: number;
}

export interface WhatIf {
  /** The last position of a question: that of summaries, policies and values. */
  readonly position: number;
  readonly leftOut: { readonly events: number; readonly memories: readonly string[] };
  readonly answers: readonly WhatIfAnswer[];
  readonly summaries: readonly ChangedSummary[];
  readonly policies: readonly ChangedPolicy[];
  readonly values: readonly ChangedValue[];
}

/** How many entries each list of the answer has at most. */
export const maxWhatIfEntries = 500;

/** Computes what would have been answered without some events. */
export interface WhatIfs {
  /**
   * Rejects with `position-timeout` after `waitMs` (2,000 by default). The computation goes on, and a later call of the same caller with
   * the same `input` gets its answer. `request` is called once for each computation.
   */
  ask(
    caller: TenantContext,
    input: object,
    request: () => Promise<WhatIfRequest>,
    waitMs: number | undefined,
  ): Promise<WhatIf>;
}
