/** Log-odds that a memory loses at most, however old it is. */
const MAX_DECAY = 1;

/** With the rate 1, a memory of this age has lost 63 % of `MAX_DECAY`. */
const DECAY_DAYS = 90;

const MS_PER_DAY = 86_400_000;

/**
 * Log-odds that age takes from the relevance of a memory: `-MAX_DECAY * (1 - exp(-rate * age / DECAY_DAYS))`. It is 0 for the rate 0 and
 * for a time that has not come yet. It is bounded, so that an old memory that answers the question alone still answers it.
 *
 * @param rate `temporalDecayRate` of its space, 0 to 1
 * @param ageMs time since the memory was last told, in milliseconds
 */
export function decayOf(rate: number, ageMs: number): number {
  if (rate === 0 || ageMs <= 0) return 0;
  return MAX_DECAY * Math.expm1((-rate * ageMs) / (DECAY_DAYS * MS_PER_DAY));
}
