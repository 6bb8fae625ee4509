import { actorOf, type Cause, type TenantContext } from '../domain/access/context.ts';
import { servedUser } from '../domain/access/on-behalf.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventContext, EventStore, LoadedEvent } from '../ports/event-store.ts';
import type { KeyRef, KeyVault } from '../ports/key-vault.ts';
import { currentPlace } from '../support/tracing.ts';
import { SpaceDirectory } from './spaces/space-directory.ts';
import { SpaceQuotas } from './spaces/space-quotas.ts';

/** What commands are built on. */
interface CommandBase {
  readonly store: EventStore;
  readonly vault: KeyVault;
  readonly clock: Clock;
  /** Creates a UUIDv7. */
  readonly newId: () => string;
}

/** What commands depend on. */
export interface CommandServices extends CommandBase {
  readonly spaces: SpaceDirectory;
  readonly quotas: SpaceQuotas;
}

export function commandServices(base: CommandBase): CommandServices {
  const spaces = new SpaceDirectory(base.store);
  return { ...base, spaces, quotas: new SpaceQuotas(spaces) };
}

/** Identity of a command that its caller may repeat: equal id and body hash mean the same command. */
export interface Idempotency {
  readonly commandId: string;
  /** A keyed hash. */
  readonly bodyHash: string;
  /** The unkeyed hash, found in events that were written before hashes were keyed. */
  readonly plainBodyHash: string;
}

/** Who calls, why, and under which key the command may be repeated. */
export interface CommandContext {
  readonly caller: TenantContext;
  readonly cause: Cause;
  readonly reason?: string;
  readonly correlationId: string;
  readonly causationId?: string;
  /** Trace and span of the request (W3C Trace Context); the span only where it is recorded. */
  readonly traceId?: string;
  readonly spanId?: string;
  readonly idempotency?: Idempotency;
  /** Whether conflicts of the memory are to be looked for after the command. */
  readonly seeksConflicts?: boolean;
}

/** The context of a command that stores, or changes a text. Without `onConflict`, its conflicts are looked for after the answer. */
export function withConflictsSought(context: CommandContext, onConflict: string | undefined): CommandContext {
  return onConflict === undefined ? { ...context, seeksConflicts: true } : context;
}

/** Moves a context to another tenant. */
export function inTenant(context: CommandContext, tenant: string): CommandContext {
  return { ...context, caller: { ...context.caller, tenant } };
}

/** The context of what the program does because of an event: in the tenant of the event, and caused by it. */
export function causedBy(
  context: CommandContext,
  { id, metadata: { tenant, correlationId, traceId } }: Pick<LoadedEvent, 'id' | 'metadata'>,
): CommandContext {
  return {
    ...inTenant(context, tenant),
    correlationId,
    causationId: id,
    ...(traceId !== undefined && { traceId }),
  };
}

export interface CommandResult {
  readonly position: number;
  /** The command was carried out before: this is its first answer. */
  readonly replayed: boolean;
}

/** The key that seals what a caller asked or said outside of any memory; it belongs to the caller's own subject. */
export function callerKey(vault: KeyVault, { tenant, user }: TenantContext): KeyRef {
  const subject = vault.pseudonym('subject', tenant, user ?? tenant);
  return { tenant, id: `retrieval.${subject}`, subject, renewable: true };
}

/** The key that seals what belongs to the tenant as a whole, such as the names of its API keys. */
export function tenantKey(vault: KeyVault, tenant: string): KeyRef {
  return { tenant, id: 'tenant', subject: vault.pseudonym('subject', tenant, tenant), renewable: true };
}

/** Context of an event that is not sealed and so cannot contain the reason of the command. The memory's own event contains it. */
export function unsealedContext(context: CommandContext): EventContext {
  const { reason: _, seeksConflicts: __, ...rest } = eventContext(context);
  return rest;
}

export function eventContext(context: CommandContext, key?: KeyRef): EventContext {
  const { caller, cause, reason, correlationId, causationId, idempotency, seeksConflicts } = context;
  const onBehalfOf = servedUser(caller);
  return {
    tenant: caller.tenant,
    actor: actorOf(caller),
    principal: caller.principal,
    ...(onBehalfOf !== undefined && { onBehalfOf }),
    cause,
    correlationId,
    ...(causationId !== undefined && { causationId }),
    ...placeOf(context),
    ...(reason !== undefined && { reason }),
    ...(idempotency && { commandId: idempotency.commandId, bodyHash: idempotency.bodyHash }),
    ...(seeksConflicts && { seeksConflicts }),
    ...(key && { key }),
  };
}

/** Where events are in traces: the span under way, or that of the request where the command was queued and is carried out in another. */
function placeOf({ traceId, spanId }: CommandContext): Pick<EventContext, 'traceId' | 'spanId'> {
  const place = currentPlace();
  if (place && (traceId === undefined || traceId === place.traceId)) return place;
  return { ...(traceId !== undefined && { traceId }), ...(spanId !== undefined && { spanId }) };
}
