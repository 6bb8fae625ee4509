import type { Invalidation } from './events.ts';
import type { SummarySettings } from './settings.ts';

export const staleReasons = ['erased', 'deleted', 'replaced', 'changed', 'age'] as const;
export type StaleReason = (typeof staleReasons)[number];

export interface Freshness {
  /** The summary no longer says what its scope holds, or is too old. */
  readonly stale: boolean;
  readonly needsRegeneration: boolean;
  readonly ageSeconds: number;
  readonly reason?: StaleReason;
}

export interface MadeSummary {
  readonly sourceHash: string;
  readonly generatedAt: Date;
  /** Why a quoted memory no longer holds. */
  readonly invalidated?: Invalidation | undefined;
}

/** Whether a summary still says what its scope holds, by the hash of what it holds now. */
export function freshnessOf(
  { sourceHash, generatedAt, invalidated }: MadeSummary,
  hash: string,
  { maxAgeSeconds }: Pick<SummarySettings, 'maxAgeSeconds'>,
  now: Date,
): Freshness {
  // A clock that was set back makes nothing younger than new.
  const ageSeconds = Math.max(0, Math.floor((now.getTime() - generatedAt.getTime()) / 1_000));
  const reason = reasonOf();
  return {
    stale: reason !== undefined,
    needsRegeneration: reason !== undefined,
    ageSeconds,
    ...(reason !== undefined && { reason }),
  };

  function reasonOf(): StaleReason | undefined {
    if (hash !== sourceHash) return invalidated ?? 'changed';
    return maxAgeSeconds !== undefined && ageSeconds > maxAgeSeconds ? 'age' : undefined;
  }
}
