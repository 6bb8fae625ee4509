import type { Invalidation } from './events.ts';
import type { SummarySettings } from './settings.ts';

export const staleReasons = ['erased', 'deleted', 'replaced', 'changed', 'age'] as const;
export type StaleReason = (typeof staleReasons)[number];

export interface Freshness {
  /** The memories of the scope have changed since the summary was generated, or it is too old. */
  readonly stale: boolean;
  readonly needsRegeneration: boolean;
  readonly ageSeconds: number;
  readonly reason?: StaleReason;
}

export interface MadeSummary {
  readonly sourceHash: string;
  readonly generatedAt: Date;
  /** What happened to a quoted memory. */
  readonly invalidated?: Invalidation | undefined;
}

/** Whether a summary is up to date. `hash` is that of the present memories of its scope. */
export function freshnessOf(
  { sourceHash, generatedAt, invalidated }: MadeSummary,
  hash: string,
  { maxAgeSeconds }: Pick<SummarySettings, 'maxAgeSeconds'>,
  now: Date,
): Freshness {
  // The clock may have been set back.
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
