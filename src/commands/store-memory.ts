import { z } from 'zod';
import { actorOf, type TenantContext } from '../domain/access/context.ts';
import { isVisible, visible } from '../domain/access/visibility.ts';
import { externalIdSchema, identifier, layerSchema, scopeSchema } from '../domain/layers.ts';
import {
  contentSchema,
  metadataSchema,
  representationsInput,
  spacesSchema,
  tagsSchema,
  timestamp,
} from '../domain/memory/content.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { decide, initialState, type MemoryValue } from '../domain/memory/memory.ts';
import { assertFits } from '../domain/memory/size.ts';
import { foldMemory, isLive, type LiveSnapshot } from '../domain/memory/snapshot.ts';
import { invalid, Problem } from '../domain/problems.ts';
import { memoryStream } from '../domain/streams.ts';
import { WrongExpectedRevision, type AppendResult } from '../ports/event-log.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { KeyRef } from '../ports/key-vault.ts';
import { unknownMemory, type MemoryResult } from './change-memory.ts';
import { claimStreamOf, releaseClaim, takeClaim } from './claims.ts';
import { CommandRecord } from './command-record.ts';
import { eventContext, type CommandContext, type CommandServices } from './context.ts';
import { writablePlacement } from './placement.ts';

/** What to do about memories that a new one contradicts, supersedes or duplicates. */
const conflictModes = ['ignore', 'report', 'supersede'] as const;
export type ConflictMode = (typeof conflictModes)[number];

export const storeMemoryInput = z
  .strictObject({
    content: contentSchema,
    layer: layerSchema.default('user'),
    scope: scopeSchema.extend({ company: identifier.optional() }).default({}),
    spaces: spacesSchema.default([]),
    metadata: metadataSchema.default({}),
    tags: tagsSchema.default([]),
    externalId: externalIdSchema.optional(),
    occurredAt: timestamp.optional(),
    representations: representationsInput.prefault({}),
    subject: identifier.optional(),
    onConflict: z.enum(conflictModes).default('ignore').meta({
      description:
        '`ignore`: do not compare it with other memories. `report`: list the memories of the same layer and scope that it contradicts, supersedes or duplicates. `supersede`: also link it as superseding them, where the confidence is high enough',
    }),
  })
  .meta({ id: 'StoreMemory' });

export type StoreMemoryInput = z.infer<typeof storeMemoryInput>;

/** Delays the append until earlier lines of a bulk request are appended; ids are claimed without that delay. */
export type InTurn = (append: () => Promise<AppendResult>) => Promise<AppendResult>;

/**
 * Stores a memory. With an Idempotency-Key or an externalId, its id is claimed first, so that a repetition finds it and a
 * concurrent writer loses. If a process stopped between claim and append, the next writer stores under the claimed id.
 */
export async function storeMemory(
  services: CommandServices,
  context: CommandContext,
  input: StoreMemoryInput,
  inTurn: InTurn = (append) => append(),
): Promise<MemoryResult> {
  const { caller } = context;
  const value = place(caller, input);
  // Checked before anything is claimed.
  assertFits(value);
  const record = CommandRecord.of(services, context);
  const unique =
    input.externalId === undefined
      ? undefined
      : claimStreamOf(services.vault, caller.tenant, 'externalId', input.externalId);
  const key = newMemoryKey(services, context, input, value);
  for (;;) {
    const fresh = services.newId();
    let id = record ? await takeClaim(services, context, record.stream, fresh) : fresh;
    if (record && id !== fresh) {
      // The key was used before: check the body before the externalId is claimed.
      const earlier = await services.store.load<MemoryEvent>(memoryStream(caller.tenant, id));
      const replay = firstAnswer(record, earlier);
      if (replay) return replay;
      if (earlier.length > 0) {
        await releaseClaim(services, context, record.stream, id);
        continue;
      }
    }
    if (unique) id = await takeClaim(services, context, unique, id);
    try {
      const claimed = { ...value, id, ...(unique && { claim: unique }) };
      return await create(services, context, { value: claimed, key, inTurn });
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
    const loaded = await services.store.load<MemoryEvent>(memoryStream(caller.tenant, id));
    const replay = record && firstAnswer(record, loaded);
    if (replay) return replay;
    const snapshot = foldMemory(loaded);
    if (unique && isLive(snapshot) && snapshot.state.value.claim === unique) {
      throw externalIdTaken(caller, snapshot);
    }
    // The erasure of that memory has not released the claim yet, or a run with the same key and another body left it.
    if (unique) await releaseClaim(services, context, unique, id);
  }
}

/** Stores the value as the first event of its memory. Throws `WrongExpectedRevision` if its id is taken. */
export async function create(
  services: CommandServices,
  context: CommandContext,
  { value, key, inTurn }: { readonly value: MemoryValue; readonly key: KeyRef; readonly inTurn: InTurn },
): Promise<MemoryResult> {
  const events = decide({ type: 'store', value }, initialState);
  const stream = memoryStream(context.caller.tenant, value.id);
  const { position, time } = await inTurn(() =>
    services.store.append(stream, 'noStream', events, { ...eventContext(context, key), keyIsNew: true }),
  );
  const facts = events.map((event, revision) => ({ event, revision, position, time, erased: false }));
  const snapshot = foldMemory(facts);
  if (!isLive(snapshot)) throw unknownMemory();
  return { snapshot, position, replayed: false };
}

/** The first answer of a repeated command, if it was this command that stored the memory. */
export function firstAnswer(
  record: CommandRecord,
  loaded: readonly LoadedEvent<MemoryEvent>[],
): MemoryResult | undefined {
  const first = loaded.slice(0, 1);
  if (record.lastEventIn(first) < 0) return undefined;
  const snapshot = foldMemory(first);
  if (!isLive(snapshot)) throw unknownMemory();
  return { snapshot, position: first[0]!.position, replayed: true };
}

/** The key of a new memory; it belongs to the subject whose erasure erases the memory. */
export function newMemoryKey(
  { vault, newId }: CommandServices,
  { caller: { tenant } }: CommandContext,
  { subject }: Pick<StoreMemoryInput, 'subject'>,
  { scope }: Pick<MemoryValue, 'scope'>,
): KeyRef {
  return {
    tenant,
    id: newId(),
    subject: vault.pseudonym('subject', tenant, subject ?? scope.user ?? tenant),
  };
}

/** Throws if the memory was stored for another subject than the one that is named. */
export function assertSubject(
  { vault }: CommandServices,
  { caller: { tenant } }: CommandContext,
  { subject }: Pick<StoreMemoryInput, 'subject'>,
  loaded: readonly LoadedEvent<MemoryEvent>[],
): void {
  if (subject === undefined) return;
  if (vault.pseudonym('subject', tenant, subject) === loaded[0]?.metadata.subject) return;
  throw invalid('subject', 'is immutable: the memory belongs to another subject');
}

/** The problem names the memory that has the externalId if the caller can see it. */
export function externalIdTaken(caller: TenantContext, { state: { value } }: LiveSnapshot): Problem {
  return new Problem('external-id-taken', 'another memory of this tenant has this externalId', {
    errors: [{ path: 'externalId', message: 'is taken' }],
    ...(isVisible(visible(caller), value) && { extra: { memoryId: value.id } }),
  });
}

/** Completes the scope from the credential and checks that the caller may write there. Throws if an identifier is missing. */
export function place(caller: TenantContext, input: StoreMemoryInput): Omit<MemoryValue, 'id'> {
  const { layer, subject: _, onConflict: __, scope, ...rest } = input;
  const placement = writablePlacement(caller, { layer, scope }, 'memories');
  const { externalId, occurredAt, ...value } = rest;
  return {
    ...value,
    ...placement,
    createdBy: actorOf(caller),
    ...(externalId !== undefined && { externalId }),
    ...(occurredAt !== undefined && { occurredAt }),
  };
}
