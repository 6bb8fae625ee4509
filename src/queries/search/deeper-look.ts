import { deepest } from './query.ts';
import type { Scored } from './shortlist.ts';

/** What was found among the candidates of one look. */
export interface Look {
  readonly best: readonly Scored[];
  /** Whether copies took so many places among the candidates that other memories may have had none. */
  readonly isCrowded: boolean;
  /** The words in memory had gone since they were asked for. */
  readonly lacksWords?: boolean;
}

/**
 * Looks among the best `perEngine` of each engine, and once more among many more where copies used those up. What went away between
 * the two leaves what the first one found.
 */
export async function lookDeeper<Found extends Look>(
  perEngine: number,
  look: (perEngine: number) => Promise<Found>,
): Promise<Found> {
  const found = await look(perEngine);
  if (!found.isCrowded || perEngine >= deepest) return found;
  const deeper = await look(deepest);
  return deeper.lacksWords && !found.lacksWords ? found : deeper;
}
