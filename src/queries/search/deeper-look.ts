import { deepest } from './query.ts';
import type { Scored } from './shortlist.ts';

/** What was found among the candidates of one look. */
export interface Look {
  readonly best: readonly Scored[];
  /** Whether copies took so many places among the candidates that other memories may have had none. */
  readonly isCrowded: boolean;
}

/** Looks among the best `perEngine` of each engine, and once more among many more where copies used those up. */
export async function lookDeeper(
  perEngine: number,
  look: (perEngine: number) => Promise<Look>,
): Promise<readonly Scored[]> {
  const { best, isCrowded } = await look(perEngine);
  return isCrowded && perEngine < deepest ? (await look(deepest)).best : best;
}
