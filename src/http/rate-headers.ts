import type { Context } from 'koa';
import type { RateState } from '../api/admission/rate-limits.ts';

/**
 * Tells a limited caller its policy and what is left of it, in units of work, by the headers of
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function tellRate(
  koa: Context,
  { policy, burst, unitsPerSecond, remaining, resetsIn }: RateState,
): void {
  const windowSeconds = Math.max(1, Math.ceil(burst / unitsPerSecond));
  koa.set('RateLimit-Policy', `"${policy}";q=${Math.floor(burst)};w=${windowSeconds}`);
  koa.set('RateLimit', `"${policy}";r=${Math.floor(remaining)};t=${Math.ceil(resetsIn)}`);
}
