import { z } from 'zod';
import { roles, type Role } from '../access/context.ts';
import { defineEvent, type EventOf } from '../events/define.ts';

const names = z.array(z.string());

/** Recorded when the first API key of a tenant is created. */
export const TenantCreated = defineEvent({
  type: 'TenantCreated',
  category: 'tenant',
  version: 1,
  routing: z.object({ tenant: z.string() }),
  sealed: z.object({}),
});

export const ApiKeyCreated = defineEvent({
  type: 'ApiKeyCreated',
  category: 'tenant',
  version: 2,
  routing: z.object({
    keyId: z.string(),
    /** SHA-256 of the secret, hex. The secret has 256 random bits, so no salt and no slow hash is needed. */
    secretHash: z.string(),
    role: z.enum(roles),
    user: z.string().optional(),
    orgs: names,
    teams: names,
    projects: names,
    sessions: names,
    agents: names,
    /** The users that a key of role agent may serve. */
    users: names.optional(),
    expiresAt: z.iso.datetime().optional(),
  }),
  sealed: z.object({ name: z.string().optional() }),
  /** Version 1 had no role agent. */
  upcasters: { 1: (data) => data },
});

export const ApiKeyRevoked = defineEvent({
  type: 'ApiKeyRevoked',
  category: 'tenant',
  version: 1,
  routing: z.object({ keyId: z.string() }),
  sealed: z.object({}),
});

export type TenantEvent =
  EventOf<typeof TenantCreated> | EventOf<typeof ApiKeyCreated> | EventOf<typeof ApiKeyRevoked>;

export interface ApiKey {
  readonly id: string;
  readonly secretHash: string;
  readonly role: Role;
  readonly user?: string;
  readonly orgs: readonly string[];
  readonly teams: readonly string[];
  readonly projects: readonly string[];
  readonly sessions: readonly string[];
  readonly agents: readonly string[];
  readonly users?: readonly string[];
  readonly name?: string;
  readonly expiresAt?: string;
  readonly createdAt: string;
  readonly revokedAt?: string;
}

export type TenantState = ReadonlyMap<string, ApiKey>;

export const noKeys: TenantState = new Map();

/**
 * Applies `events`, each with the time at which it was appended to the log. The map is copied once, not per event: with
 * thousands of keys that would take seconds.
 */
export function foldTenant(
  state: TenantState,
  events: readonly { readonly event: TenantEvent; readonly time: Date }[],
): TenantState {
  const keys = new Map(state);
  for (const { event, time } of events) applyEvent(keys, event, time.toISOString());
  return keys;
}

function applyEvent(keys: Map<string, ApiKey>, event: TenantEvent, at: string): void {
  switch (event.type) {
    case 'TenantCreated':
      return;
    case 'ApiKeyCreated': {
      const { keyId, ...key } = event.data;
      keys.set(keyId, { id: keyId, ...(key as Omit<ApiKey, 'id' | 'createdAt'>), createdAt: at });
      return;
    }
    case 'ApiKeyRevoked': {
      const key = keys.get(event.data.keyId);
      if (key && key.revokedAt === undefined) keys.set(key.id, { ...key, revokedAt: at });
      return;
    }
    default:
      event satisfies never;
  }
}

/** Whether a key is neither revoked nor expired at `now`. */
export function isUsable(key: ApiKey, now: Date): boolean {
  return key.revokedAt === undefined && (key.expiresAt === undefined || key.expiresAt > now.toISOString());
}
