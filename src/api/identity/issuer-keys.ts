import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose';
import { Problem } from '../../domain/problems.ts';

/** An issuer that failed is left alone so long: anybody can send JWTs that need its keys, and each would wait for it. */
const pauseMs = 5_000;

/** Whether a JWT is valid cannot be told now: nothing is wrong with it as far as anybody knows. */
export class IssuerKeysUnavailable extends Problem {
  constructor(cause: unknown) {
    super('unavailable', 'the keys of who issues the JWTs cannot be fetched', {
      retryAfter: pauseMs / 1_000,
      cause,
    });
  }
}

/**
 * The keys that JWTs are signed with, of a key set as JSON or of its address; those are fetched when they are needed.
 * Rejects with `IssuerKeysUnavailable` where they cannot be, with an error of jose where the set has no key for the JWT.
 */
export function issuerKeys(jwks: string): JWTVerifyGetKey {
  if (jwks.startsWith('{')) return createLocalJWKSet(JSON.parse(jwks));
  return createRemoteJWKSet(new URL(jwks), { [customFetch]: pausing(fetchKeySet) });
}

/** jose has no one error for all that can go wrong with a key set: what is no set does not come as far as jose. */
const fetchKeySet: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options);
  if (response.status !== 200) {
    // What nobody reads would hold its connection.
    await response.body?.cancel();
    throw new Error(`answered ${response.status} instead of a key set`);
  }
  const keySet = (await response.json()) as JSONWebKeySet;
  createLocalJWKSet(keySet);
  return Response.json(keySet);
};

function pausing(fetchOnce: FetchImplementation): FetchImplementation {
  let failed: { readonly error: IssuerKeysUnavailable; readonly at: number } | undefined;
  return async (url, options) => {
    if (failed && performance.now() < failed.at + pauseMs) throw failed.error;
    try {
      return await fetchOnce(url, options);
    } catch (cause) {
      failed = { error: new IssuerKeysUnavailable(cause), at: performance.now() };
      throw failed.error;
    }
  };
}
