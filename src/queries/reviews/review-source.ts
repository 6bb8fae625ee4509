import type { TenantContext } from '../../domain/access/context.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { Wait } from '../read-models.ts';

/** What waits for a reviewer, in the order of the list. */
export const reviewKinds = ['quarantine', 'conflict', 'duplicate', 'stale'] as const;
export type ReviewKind = (typeof reviewKinds)[number];

/** Something that a reviewer may decide. */
export interface ReviewItem {
  /** `<kind>.<id of the memory>`, and for a conflict also `.<id of the other memory>`; for duplicates, the id of the cluster. */
  readonly id: string;
  readonly kind: ReviewKind;
  /** The memory that the decision is about. */
  readonly memory: MemoryView;
  /** The memories that it conflicts with, or that say the same. */
  readonly others: readonly MemoryView[];
}

export interface ReviewPage {
  readonly caller: TenantContext;
  /** The spaces whose memories the caller reviews. */
  readonly spaces: 'all' | readonly string[];
  /** The page begins after the item with this id. */
  readonly after: string | undefined;
  readonly limit: number;
  readonly wait: Wait;
}

export interface ReviewItems {
  readonly items: readonly ReviewItem[];
  /** Every event up to here is considered. */
  readonly position: number;
}

/** Finds what waits for reviewers, in ascending order of ids. */
export interface ReviewSource {
  readonly kind: ReviewKind;
  read(page: ReviewPage): Promise<ReviewItems>;
}
