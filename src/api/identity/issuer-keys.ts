import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose';
import { Problem } from '../../domain/problems.ts';

/** Pause after a failed fetch. Anybody can send JWTs that need the keys, and each would wait for the issuer. */
const pauseMs = 5_000;

/** The JWT could not be verified; it may be valid. */
export class IssuerKeysUnavailable extends Problem {
  constructor(cause: unknown) {
    super('unavailable', 'the keys of the JWT issuer cannot be fetched', {
      retryAfter: pauseMs / 1_000,
      cause,
    });
  }
}

/**
 * The keys that verify JWTs, from a key set as JSON or from its URL, where they are fetched on demand. Rejects with
 * `IssuerKeysUnavailable` if they cannot be fetched, and with an error of jose if the set has no key for the JWT.
 */
export function issuerKeys(jwks: string): JWTVerifyGetKey {
  if (jwks.startsWith('{')) return createLocalJWKSet(JSON.parse(jwks));
  return createRemoteJWKSet(new URL(jwks), { [customFetch]: pausing(fetchKeySet) });
}

/** Rejects everything that is not a key set, because jose has no single error for that. */
const fetchKeySet: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options);
  if (response.status !== 200) {
    // An unread body would keep the connection.
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
