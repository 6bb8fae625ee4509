import { hash, timingSafeEqual } from 'node:crypto';
import { decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { hashSecret, parseKey } from '../../commands/api-keys.ts';
import { roles, type TenantContext } from '../../domain/access/context.ts';
import { tenantSchema } from '../../domain/access/tenant.ts';
import { identifier } from '../../domain/layers.ts';
import { canonicalJson } from '../../domain/json.ts';
import { Problem } from '../../domain/problems.ts';
import type { TenantDirectory } from '../../queries/tenant-directory.ts';
import { issuerKeys, IssuerKeysUnavailable } from './issuer-keys.ts';

export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  /** `https://…` of a key set, or the key set itself as JSON. */
  readonly jwks: string;
}

export interface AuthenticatorOptions {
  readonly directory: TenantDirectory;
  readonly masterKey?: string | undefined;
  readonly jwt?: JwtSettings | undefined;
  /** Embedded on loopback: without any key ever created, a request without a credential is the local developer. */
  readonly development: boolean;
}

const nobody = { orgs: [], teams: [], projects: [], sessions: [], agents: [] } as const;

export const developmentIdentity: TenantContext = {
  tenant: 'local',
  principal: 'development',
  roles: ['admin'],
  user: 'local',
  ...nobody,
};

/** The master key creates tenants and keys and may do nothing else: it has no tenant and no role. */
export const masterIdentity: TenantContext = { tenant: '', principal: 'master', roles: [], ...nobody };

const names = z.union([z.array(identifier), identifier.transform((name) => [name])]).default([]);

const claims = z.object({
  sub: identifier.optional(),
  tenant: tenantSchema,
  user: identifier.optional(),
  agent: identifier.optional(),
  client_id: identifier.optional(),
  azp: identifier.optional(),
  role: z.enum(roles).optional(),
  roles: z.array(z.enum(roles)).optional(),
  orgs: names,
  teams: names,
  projects: names,
  sessions: names,
  agents: names,
});

/** Turns the credential of a request into who calls. Nothing else of the request has a say. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #jwtKeys: JWTVerifyGetKey | undefined;
  readonly #masterHash: string | undefined;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    if (options.masterKey !== undefined) this.#masterHash = hashSecret(options.masterKey);
    if (options.jwt) this.#jwtKeys = issuerKeys(options.jwt.jwks);
  }

  /** Whether requests without a credential are answered at all. */
  async developmentIsOpen(): Promise<boolean> {
    const { development, masterKey, directory } = this.#options;
    return development && masterKey === undefined && !(await directory.anyKeyEver());
  }

  /** Throws `unauthenticated`, `forbidden` for a valid JWT that names no tenant, or `IssuerKeysUnavailable`. */
  async authenticate(authorization: string | undefined): Promise<TenantContext> {
    if (authorization === undefined || authorization === '') {
      if (await this.developmentIsOpen()) return developmentIdentity;
      throw new Problem('unauthenticated', 'the request has no Authorization header');
    }
    const token = bearerToken(authorization);
    if (token === undefined)
      throw new Problem('unauthenticated', 'Authorization must be `Bearer <key or JWT>`');
    if (this.#masterHash !== undefined && sameHash(hashSecret(token), this.#masterHash))
      return masterIdentity;
    if (token.startsWith('sl_')) return this.#fromApiKey(token);
    return this.#fromJwt(token);
  }

  /**
   * Whether a credential that was taken would be taken again: a key may be revoked since, a key or a JWT may have
   * expired. The signature of a JWT was seen: without the keys of its issuer it stays valid until its end.
   */
  async isStillValid(authorization: string | undefined): Promise<boolean> {
    try {
      await this.authenticate(authorization);
      return true;
    } catch (error) {
      if (error instanceof IssuerKeysUnavailable) return !hasExpired(bearerToken(authorization)!);
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  /** For what outlasts the second in which its credential was taken. Throws `unauthenticated` once it is taken no more. */
  async assertStillValid(authorization: string | undefined): Promise<void> {
    if (await this.isStillValid(authorization)) return;
    throw new Problem('unauthenticated', 'the credential is no longer valid: it was revoked or has expired');
  }

  async #fromApiKey(token: string): Promise<TenantContext> {
    const parsed = parseKey(token);
    const key = parsed && (await this.#options.directory.findUsable(parsed.tenant, parsed.keyId));
    if (!parsed || !key || !sameHash(hashSecret(parsed.secret), key.secretHash)) {
      throw new Problem('unauthenticated', 'this API key is unknown, expired or revoked');
    }
    const { id, role, user, orgs, teams, projects, sessions, agents } = key;
    const agent = agents.length === 1 ? agents[0] : undefined;
    return {
      tenant: parsed.tenant,
      principal: `key:${id}`,
      roles: [role],
      ...(user !== undefined && { user }),
      ...(agent !== undefined && { agent }),
      orgs,
      teams,
      projects,
      sessions,
      agents,
    };
  }

  async #fromJwt(token: string): Promise<TenantContext> {
    const { jwt } = this.#options;
    if (!jwt || !this.#jwtKeys) throw new Problem('unauthenticated', 'this credential is unknown');
    const { issuer, audience } = jwt;
    let payload: JWTPayload;
    try {
      // No list of revoked tokens is kept here: one that never ends could never be taken back.
      ({ payload } = await jwtVerify(token, this.#jwtKeys, { issuer, audience, requiredClaims: ['exp'] }));
    } catch (cause) {
      throw cause instanceof IssuerKeysUnavailable ? cause : refusalOf(cause);
    }
    if (payload['tenant'] === undefined) throw new Problem('forbidden', 'the JWT has no claim `tenant`');
    const parsed = claims.safeParse(payload);
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0]!;
      throw new Problem('forbidden', `the claim ${path.join('.')} of the JWT is not valid: ${message}`);
    }
    const { tenant, sub, user = sub, agent, role, roles: many } = parsed.data;
    const { orgs, teams, projects, sessions, agents } = parsed.data;
    return {
      tenant,
      principal: principalOf(parsed.data),
      roles: many ?? (role ? [role] : ['member']),
      ...(user !== undefined && { user }),
      ...(agent !== undefined && { agent }),
      orgs,
      teams,
      projects,
      sessions,
      agents,
    };
  }
}

function bearerToken(authorization = ''): string | undefined {
  return /^Bearer +([^\s]+)$/i.exec(authorization)?.[1];
}

function hasExpired(jwt: string): boolean {
  return decodeJwt(jwt).exp! * 1_000 <= Date.now();
}

function refusalOf(cause: unknown): Problem {
  const lacks =
    cause instanceof errors.JWTClaimValidationFailed && cause.reason === 'missing' ? cause.claim : undefined;
  const detail =
    lacks === 'exp'
      ? 'the JWT has no claim `exp`: one that never ends is not taken'
      : 'this JWT is not valid here';
  return new Problem('unauthenticated', detail, { cause });
}

/**
 * `jwt:<subject>`. Without a subject `jwt-claims:<hash>` of the claims that tell callers apart: user, agent and client,
 * or where none of them is named, what the caller belongs to.
 */
function principalOf({
  sub,
  user,
  agent,
  client_id: client,
  azp,
  ...others
}: z.infer<typeof claims>): string {
  if (sub !== undefined) return `jwt:${sub}`;
  const { orgs, teams, projects, sessions, agents } = others;
  const named = { user, agent, client, azp };
  const isNamed = Object.values(named).some((name) => name !== undefined);
  const identifying = isNamed ? named : { orgs, teams, projects, sessions, agents };
  return `jwt-claims:${hash('sha256', canonicalJson(identifying))}`;
}

/** Two hashes of secrets, in a time that does not tell how much of one is right. */
function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
