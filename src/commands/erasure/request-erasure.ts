import { z } from 'zod';
import { hasRole, systemTenant } from '../../domain/access/context.ts';
import {
  filesWhen,
  type ErasureEvent,
  type ErasureTarget,
  type FilesWhen,
} from '../../domain/erasure/events.ts';
import type { SurfaceCount } from '../../domain/erasure/erasure.ts';
import { text } from '../../domain/json.ts';
import { identifier } from '../../domain/layers.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { erasureStream, tenantStream } from '../../domain/streams.ts';
import { WrongExpectedRevision } from '../../ports/event-log.ts';
import { isMaster, revokeAllKeys } from '../api-keys.ts';
import { takeClaim } from '../claims.ts';
import { CommandRecord } from '../command-record.ts';
import {
  eventContext,
  inTenant,
  tenantKey,
  unsealedContext,
  type CommandContext,
  type CommandResult,
  type CommandServices,
} from '../context.ts';

export const filesField = z.enum(filesWhen).default('scheduled').meta({
  description:
    'When the files of the database are rewritten, so that they have no byte left of what was erased. `scheduled`: within the time that the server is set to, an hour by default. `immediately`: at once',
});

export const eraseSubjectInput = z
  .strictObject({
    reason: text(2_000).min(1).meta({ description: 'Why, for the audit' }),
    files: filesField,
  })
  .meta({ id: 'EraseSubject' });

export const subjectField = identifier.meta({
  description: 'The person that content is about: the `subject` of its memories, by default their user',
});

export interface RequestedErasure extends CommandResult {
  readonly erasureId: string;
}

/**
 * Begins to erase everything about a person: from the event on nothing can be read that is sealed for the person, in the log, the topics
 * or a backup of them. The rest follows by itself. What is stored for the person later is not affected.
 */
export async function requestSubjectErasure(
  services: CommandServices,
  context: CommandContext,
  subjectId: string,
  files: FilesWhen,
): Promise<RequestedErasure> {
  const { vault } = services;
  const { tenant } = context.caller;
  if (!hasRole(context.caller, 'admin')) throw new Problem('forbidden', 'erasing needs the role admin');
  if (subjectId === tenant)
    throw invalid('id', 'names the tenant itself: what is about nobody belongs to it, and goes with it');
  const subject = vault.pseudonym('subject', tenant, subjectId);
  const generation = await vault.generation(tenant, subject);
  const target = { kind: 'subject', subject, generation } as const;
  const requested = await request(services, context, target, files);
  if (!requested.replayed) await vault.destroySubject(tenant, subject, generation);
  return requested;
}

export const eraseTenantInput = z
  .strictObject({
    confirm: z.string().meta({ description: 'The name of the tenant again' }),
    reason: text(2_000).min(1).meta({ description: 'Why, for the audit' }),
    files: filesField,
  })
  .meta({ id: 'EraseTenant' });

/**
 * Begins to erase everything of a tenant, and revokes its API keys. Only the master key may do it. The receipt belongs to the system
 * tenant. A key that the master key creates for the tenant afterwards opens an empty tenant.
 */
export async function requestTenantErasure(
  services: CommandServices,
  context: CommandContext,
  tenant: string,
  { confirm, files }: Pick<z.output<typeof eraseTenantInput>, 'confirm' | 'files'>,
): Promise<RequestedErasure> {
  const { store, vault } = services;
  if (!isMaster(context.caller)) throw new Problem('forbidden', 'erasing a tenant needs the master key');
  if (confirm !== tenant) throw invalid('confirm', 'must be the name of the tenant');
  const isKnown = tenant !== systemTenant && (await store.loadOne(tenantStream(tenant), 0)) !== undefined;
  if (!isKnown) throw new Problem('not-found', 'no such tenant');
  const { reason: _, idempotency: __, ...own } = context;
  await revokeAllKeys(services, own, tenant);
  const keys = await vault.countTenantKeys(tenant);
  const target = { kind: 'tenant', tenant, keys } as const;
  const requested = await request(services, inTenant(context, systemTenant), target, files);
  if (!requested.replayed) await vault.destroyTenant(tenant, requested.erasureId);
  return requested;
}

async function request(
  services: CommandServices,
  context: CommandContext,
  target: ErasureTarget,
  files: FilesWhen,
): Promise<RequestedErasure> {
  const { store, vault, newId } = services;
  const { tenant } = context.caller;
  const record = CommandRecord.of(services, context);
  const fresh = newId();
  const erasureId = record ? await takeClaim(services, context, record.stream, fresh) : fresh;
  const stream = erasureStream(tenant, erasureId);
  const event: ErasureEvent = { type: 'ErasureRequested', data: { erasureId, target, files } };
  try {
    // The reason stays readable, also if the admin who gives it is erased.
    const { position } = await store.append(
      stream,
      'noStream',
      [event],
      eventContext(context, tenantKey(vault, tenant)),
    );
    return { erasureId, position, replayed: false };
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision) || !record) throw error;
  }
  const loaded = await store.load<ErasureEvent>(stream);
  record.lastEventIn(loaded.slice(0, 1));
  return { erasureId, position: loaded[0]!.position, replayed: true };
}

/**
 * Begins the receipt of a memory that was erased, named like the memory; does nothing if it was begun before. `counts` is what the
 * surfaces held.
 */
export function recordMemoryErasure(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  options: ErasureOptions = {},
): Promise<void> {
  return recordErasure(services, context, { kind: 'memory', memoryId }, options);
}

interface ErasureOptions {
  readonly files?: FilesWhen;
  readonly counts?: readonly SurfaceCount[];
}

/** The same for a memory or a document. */
export async function recordErasure(
  { store }: CommandServices,
  context: CommandContext,
  target: Extract<ErasureTarget, { kind: 'memory' | 'document' }>,
  { files = 'scheduled', counts }: ErasureOptions = {},
): Promise<void> {
  const { idempotency: _, ...own } = context;
  const erasureId = target.kind === 'memory' ? target.memoryId : target.documentId;
  const data = { erasureId, target, files, ...(counts && { counts: [...counts] }) };
  try {
    await store.append(
      erasureStream(context.caller.tenant, erasureId),
      'noStream',
      [{ type: 'ErasureRequested', data }],
      unsealedContext(own),
    );
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
  }
}
