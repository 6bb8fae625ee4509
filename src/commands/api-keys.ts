import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { servedUserSchema } from '../domain/access/on-behalf.ts';
import { roles, systemTenant, type Role, type TenantContext } from '../domain/access/context.ts';
import { tenantSchema } from '../domain/access/tenant.ts';
import { identifier } from '../domain/layers.ts';
import { timestamp } from '../domain/memory/content.ts';
import { invalid, Problem } from '../domain/problems.ts';
import { foldTenant, noKeys, type TenantEvent, type TenantState } from '../domain/tenant/tenant.ts';
import { tenantStream } from '../domain/streams.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { changeStream } from './change-stream.ts';
import { claimStreamOf, takeClaim } from './claims.ts';
import { CommandRecord } from './command-record.ts';
import { tenantKey, type CommandContext, type CommandResult, type CommandServices } from './context.ts';

const names = z.array(identifier).max(1_000).default([]);

export const createKeyInput = z
  .strictObject({
    tenant: tenantSchema.optional(),
    role: z.enum(roles),
    user: identifier.optional(),
    orgs: names,
    teams: names,
    projects: names,
    sessions: names,
    agents: names,
    users: z.array(servedUserSchema).max(1_000).default([]),
    name: identifier.optional(),
    expiresAt: timestamp.optional(),
  })
  .superRefine((key, context) => {
    for (const [path, message] of faultsOfAgent(key))
      context.addIssue({ code: 'custom', path: [path], message });
  })
  .meta({ id: 'CreateKey' });

export type CreateKeyInput = z.infer<typeof createKeyInput>;

/**
 * Yields what is wrong with a key of role agent, which has exactly one name and serves users, or with another key that names users.
 */
function* faultsOfAgent({
  role,
  user,
  sessions,
  agents,
  users,
}: {
  readonly role: Role;
  readonly user?: string | undefined;
  readonly sessions: readonly string[];
  readonly agents: readonly string[];
  readonly users: readonly string[];
}): Generator<readonly [path: string, message: string]> {
  if (role !== 'agent') {
    if (users.length > 0) yield ['users', 'is for the role agent'];
    return;
  }
  if (agents.length !== 1) yield ['agents', 'must be the one name of the agent'];
  if (users.length === 0)
    yield ['users', 'is required for the role agent: names, prefixes that end in *, or *'];
  if (user !== undefined) yield ['user', 'an agent has no user of its own: say in `users` whom it serves'];
  if (sessions.length > 0) yield ['sessions', 'an agent sees the sessions of the user it acts for'];
}

export interface CreatedKey {
  readonly id: string;
  /** Returned this once: only its hash is stored. */
  readonly key: string;
  readonly position: number;
  readonly replayed: boolean;
}

/** Whether the caller is the master key, which creates tenants and keys, erases tenants, and may do nothing else. */
export function isMaster(caller: TenantContext): boolean {
  return caller.principal === 'master';
}

/**
 * Creates an API key. The first key of a tenant creates the tenant, which only the master key may do. It must be of role admin: a
 * tenant that begins with another role could never create the keys that it lacks.
 */
export async function createApiKey(
  services: CommandServices,
  context: CommandContext,
  input: CreateKeyInput,
): Promise<CreatedKey> {
  const { tenant = context.caller.tenant, users, ...key } = input;
  if (tenant === '') throw invalid('tenant', 'is required with the master key');
  assertOwnTenant(context.caller, tenant);
  if (isMaster(context.caller)) await assertFirstTenant(services, context, tenant);
  const { keyId, secret } = newKey(services, context, tenant);
  const created: TenantEvent = {
    type: 'ApiKeyCreated',
    data: { ...key, ...(key.role === 'agent' && { users }), keyId, secretHash: hashSecret(secret) },
  };
  const { position, replayed } = await changeTenant(services, context, tenant, (_, loaded) => {
    // Not checked for a repetition: the key may have expired since.
    if (key.expiresAt !== undefined && key.expiresAt <= services.clock.now().toISOString()) {
      throw invalid('expiresAt', 'must lie in the future');
    }
    if (loaded.length > 0) return [created];
    if (key.role !== 'admin') throw firstKeyMustBeAdmin(tenant);
    return [{ type: 'TenantCreated', data: { tenant } }, created];
  });
  return { id: keyId, key: `sl_${tenant}.${keyId}.${secret}`, position, replayed };
}

/**
 * The master key writes to many tenants, and the stream of one tenant does not show that an Idempotency-Key was used for
 * another one. So the first tenant claims the key. Throws `idempotency-key-reused` for another one.
 */
async function assertFirstTenant(
  services: CommandServices,
  context: CommandContext,
  tenant: string,
): Promise<void> {
  const { idempotency } = context;
  if (!idempotency) return;
  const inSystem = { ...context, caller: { ...context.caller, tenant: systemTenant } };
  const claim = claimStreamOf(services.vault, systemTenant, 'master command', idempotency.commandId);
  const first = await takeClaim(services, inSystem, claim, tenant);
  if (first === tenant) return;
  // The arguments differ at least in the tenant, so an event of the command is refused.
  const history = await services.store.load<TenantEvent>(tenantStream(first));
  CommandRecord.of(services, inSystem)?.lastEventIn(history);
}

function firstKeyMustBeAdmin(tenant: string): Problem {
  return new Problem(
    'first-key-must-be-admin',
    `${tenant} has no key yet: create one with role admin first, then this one`,
    { errors: [{ path: 'role', message: 'must be admin for the first key of a tenant' }] },
  );
}

/** A random key; with an Idempotency-Key, derived from that, so that a repetition returns the same key although it is not stored. */
function newKey({ vault }: CommandServices, { idempotency }: CommandContext, tenant: string) {
  if (!idempotency) {
    return { keyId: randomBytes(16).toString('hex'), secret: randomBytes(32).toString('base64url') };
  }
  const derived = (part: string) => vault.pseudonym(`api key ${part}`, tenant, idempotency.commandId);
  const secret = Buffer.from(derived('secret 1') + derived('secret 2'), 'hex').toString('base64url');
  return { keyId: derived('id'), secret };
}

/** Revokes a key at once; other processes refuse it within a second. */
export async function revokeApiKey(
  services: CommandServices,
  context: CommandContext,
  keyId: string,
): Promise<CommandResult> {
  const { tenant } = context.caller;
  return changeTenant(services, context, tenant, (state) => {
    const key = state.get(keyId);
    if (!key) throw new Problem('not-found', 'no such key');
    return key.revokedAt === undefined ? [{ type: 'ApiKeyRevoked', data: { keyId } }] : [];
  });
}

/** Revokes all keys of a tenant. */
export async function revokeAllKeys(
  services: CommandServices,
  context: CommandContext,
  tenant: string,
): Promise<void> {
  await changeTenant(services, context, tenant, (state) =>
    [...state.values()].flatMap(({ id: keyId, revokedAt }): TenantEvent[] =>
      revokedAt === undefined ? [{ type: 'ApiKeyRevoked', data: { keyId } }] : [],
    ),
  );
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** Parts of a key, or undefined if the text cannot be one. */
export function parseKey(key: string): { tenant: string; keyId: string; secret: string } | undefined {
  const match = /^sl_([a-z0-9_]{1,63})\.([0-9a-f]{32})\.([A-Za-z0-9_-]{43})$/.exec(key);
  return match ? { tenant: match[1]!, keyId: match[2]!, secret: match[3]! } : undefined;
}

function assertOwnTenant(caller: TenantContext, tenant: string): void {
  if (isMaster(caller) || tenant === caller.tenant) return;
  throw new Problem(
    'forbidden',
    'an admin manages the keys of its own tenant; those of another one need the master key',
  );
}

async function changeTenant(
  services: CommandServices,
  context: CommandContext,
  tenant: string,
  decide: (state: TenantState, loaded: readonly LoadedEvent<TenantEvent>[]) => TenantEvent[],
): Promise<CommandResult> {
  const inTenant: CommandContext = { ...context, caller: { ...context.caller, tenant } };
  return changeStream<TenantEvent>(services, inTenant, {
    stream: tenantStream(tenant),
    memoryId: '',
    decide: (loaded) => decide(foldTenant(noKeys, loaded), loaded),
    key: () => tenantKey(services.vault, tenant),
  });
}
