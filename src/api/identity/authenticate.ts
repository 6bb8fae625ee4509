import { hash, timingSafeEqual } from 'node:crypto';
import { decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { hashSecret, parseKey } from '../../commands/api-keys.ts';
import { roles, type Role, type TenantContext } from '../../domain/access/context.ts';
import { servedUserSchema } from '../../domain/access/on-behalf.ts';
import { tenantSchema } from '../../domain/access/tenant.ts';
import { inOwnWords } from '../../domain/input/issue-words.ts';
import { identifier } from '../../domain/layers.ts';
import { canonicalJson } from '../../domain/json.ts';
import { Problem } from '../../domain/problems.ts';
import { callerOfKey } from '../../domain/tenant/caller-of-key.ts';
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
  /** Accept requests without a credential as the local developer, as long as no key was ever created. */
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

/** The master key creates tenants and keys, erases tenants, and may do nothing else. It has no tenant and no role. */
const masterIdentity: TenantContext = { tenant: '', principal: 'master', roles: [], ...nobody };

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
  users: z.union([z.array(servedUserSchema), servedUserSchema.transform((user) => [user])]).default([]),
});

/** Determines the caller from the credential alone, never from other parts of a request. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #jwtKeys: JWTVerifyGetKey | undefined;
  readonly #masterHash: string | undefined;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    if (options.masterKey !== undefined) this.#masterHash = hashSecret(options.masterKey);
    if (options.jwt) this.#jwtKeys = issuerKeys(options.jwt.jwks);
  }

  /** Whether requests without a credential are accepted. */
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
   * Whether a credential that was accepted is still valid: it may have been revoked or have expired since. The signature of
   * a JWT was verified before, so while the issuer's keys are unavailable, the JWT stays valid until it expires.
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

  /** Throws `unauthenticated` if the credential is no longer valid; for calls that take long. */
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
    return callerOfKey(parsed.tenant, key);
  }

  async #fromJwt(token: string): Promise<TenantContext> {
    const { jwt } = this.#options;
    if (!jwt || !this.#jwtKeys) throw new Problem('unauthenticated', 'this credential is unknown');
    const { issuer, audience } = jwt;
    let payload: JWTPayload;
    try {
      // `exp` is required: there is no list of revoked JWTs, so one without an end could never be revoked.
      ({ payload } = await jwtVerify(token, this.#jwtKeys, { issuer, audience, requiredClaims: ['exp'] }));
    } catch (cause) {
      throw cause instanceof IssuerKeysUnavailable ? cause : refusalOf(cause);
    }
    if (payload['tenant'] === undefined) throw new Problem('forbidden', 'the JWT has no claim `tenant`');
    const parsed = claims.safeParse(payload, { error: inOwnWords });
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0]!;
      throw new Problem('forbidden', `the claim ${path.join('.')} of the JWT is not valid: ${message}`);
    }
    const { role, roles: many = role ? [role] : ['member'] } = parsed.data;
    if (many.includes('agent')) return agentOf(parsed.data, many);
    const { tenant, sub, user = sub, agent } = parsed.data;
    const { orgs, teams, projects, sessions, agents } = parsed.data;
    return {
      tenant,
      principal: principalOf(parsed.data),
      roles: many,
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

/** An agent is named by `agent` or `agents` and has no user: `sub` is its credential. */
function agentOf(jwt: z.infer<typeof claims>, own: readonly Role[]): TenantContext {
  const { tenant, user, orgs, teams, projects, sessions, agents, users } = jwt;
  const named = [...new Set([...agents, ...(jwt.agent === undefined ? [] : [jwt.agent])])];
  const [agent] = named;
  const fault =
    own.length > 1
      ? 'the role agent stands alone'
      : agent === undefined || named.length > 1
        ? 'the claim `agent` must be the one name of the agent'
        : users.length === 0
          ? 'the claim `users` must say whom the agent serves'
          : user !== undefined || sessions.length > 0
            ? 'an agent has no claim `user` or `sessions`'
            : undefined;
  if (fault !== undefined || agent === undefined)
    throw new Problem('forbidden', `the JWT is not that of an agent: ${fault}`);
  const principal = principalOf(jwt);
  return {
    tenant,
    principal,
    roles: ['agent'],
    agent,
    orgs,
    teams,
    projects,
    sessions,
    agents: named,
    users,
  };
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
      ? 'the JWT has no claim `exp`; a JWT that never expires is not accepted'
      : 'this JWT is not valid here';
  return new Problem('unauthenticated', detail, { cause });
}

/**
 * `jwt:<subject>`, or without a subject `jwt-claims:<hash>` of the claims that distinguish callers: user, agent and client,
 * or if there are none, the groups that the caller belongs to.
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

/** Compares hashes of secrets in constant time. */
function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
