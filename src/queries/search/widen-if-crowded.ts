import type { Degradation } from './corpus.ts';
import { mostCandidates } from './query.ts';
import type { Scored } from './shortlist.ts';

/** What a search found among a number of candidates. */
export interface Attempt {
  readonly best: readonly Scored[];
  /** Whether copies took so many places among the candidates that other memories may have had none. */
  readonly isCrowded: boolean;
  readonly degradation: Degradation;
}

/**
 * Searches among `limit` candidates of each source, and once more among many if copies used those up. If words become
 * unavailable between the two, the first result stands.
 */
export async function widenIfCrowded(
  limit: number,
  search: (limit: number) => Promise<Attempt>,
): Promise<Attempt> {
  const first = await search(limit);
  if (!first.isCrowded || limit >= mostCandidates) return first;
  const wider = await search(mostCandidates);
  return wider.degradation.words && !first.degradation.words ? first : wider;
}
