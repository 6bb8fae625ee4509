import { Problem } from '../domain/problems.ts';

const maxRetryAfterS = 30;
/** When to ask again if nothing is filled yet. */
const firstRetryAfterS = 2;

/**
 * Says that read models are being filled, and when to ask again.
 * @param share how much is done, from 0 to 1
 * @param startedAt `performance.now()` at the start
 */
export function stillFilling(what: string, share: number, startedAt: number): Problem {
  const spentS = (performance.now() - startedAt) / 1_000;
  const leftS = share > 0 ? Math.ceil(spentS / share - spentS) : firstRetryAfterS;
  return new Problem(
    'position-timeout',
    `${what} are being filled from the log, ${Math.floor(share * 100)} % so far: repeat the same request later`,
    {
      retryAfter: Math.min(maxRetryAfterS, Math.max(1, leftS)),
      extra: { progress: Math.round(share * 100) / 100 },
    },
  );
}
