import { z } from 'zod';
import { actorOf, type TenantContext } from '../domain/access/context.ts';
import { isVisible, visible } from '../domain/access/visibility.ts';
import { externalIdSchema, identifier, layerSchema, scopeSchema } from '../domain/layers.ts';
import {
  contentSchema,
  expiresAtSchema,
  metadataSchema,
  representationsInput,
  retentionSchema,
  spacesSchema,
  tagsSchema,
  timestamp,
} from '../domain/memory/content.ts';
import { isAffirmable } from '../domain/memory/affirmation.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import type { MemoryValue } from '../domain/memory/memory.ts';
import { assertFits } from '../domain/memory/size.ts';
import { foldMemory, isLive, type LiveSnapshot } from '../domain/memory/snapshot.ts';
import { invalid, Problem } from '../domain/problems.ts';
import { memoryStream } from '../domain/streams.ts';
import { mayHandle } from '../domain/trust/access.ts';
import { withoutCopies } from '../domain/spaces/spaces.ts';
import { trustSources } from '../domain/trust/trust.ts';
import { WrongExpectedRevision } from '../ports/event-log.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { KeyRef } from '../ports/key-vault.ts';
import { releaseClaim, takeClaim } from './claims.ts';
import { CommandRecord } from './command-record.ts';
import type { CommandContext, CommandServices } from './context.ts';
import {
  create,
  firstAnswer,
  storeUnclaimed,
  type Draft,
  type InTurn,
  type StoreResult,
} from './create-memory.ts';
import { checkEntry } from './entry/check-entry.ts';
import { externalIdClaims, heldBeside } from './external-id-claims.ts';
import { writablePlacement } from './placement.ts';
import { affirmedAnswer, storeFact } from './store-fact.ts';
import { storeInSpaces } from './store-in-spaces.ts';

/** What to do about memories that a new one contradicts, supersedes or duplicates. */
const conflictModes = ['ignore', 'report', 'supersede'] as const;
export type ConflictMode = (typeof conflictModes)[number];

/** What to do about a fact that is told again. */
const duplicateModes = ['affirm', 'keep'] as const;

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
    expiresAt: expiresAtSchema.optional(),
    retention: retentionSchema.optional(),
    subject: identifier.optional(),
    trust: z
      .strictObject({
        source: z.enum(trustSources).meta({
          description:
            'Where the text comes from, if that is less trusted than the caller: for example `web` for what it has read there. Never above what the credential and the cause say',
        }),
      })
      .optional(),
    duplicates: z.enum(duplicateModes).default('affirm').meta({
      description:
        'What to do if a memory of the same layer and scope says the same already. `affirm`: store no second one, but count that it was told again. `keep`: store it all the same. Memories with an `externalId` are always stored, and so are those of the session layer unless a space of theirs has a `dedupStrategy`',
    }),
    onConflict: z.enum(conflictModes).optional().meta({
      description:
        'By default, memories of the same layer and scope that it contradicts are looked for after the answer, and linked. `report`: the answer lists the memories of the same layer and scope that it contradicts, supersedes or duplicates. `supersede`: also link it as superseding them, where the confidence is high enough. `ignore`: do not compare it with other memories',
    }),
  })
  .meta({ id: 'StoreMemory' });

export type StoreMemoryInput = z.infer<typeof storeMemoryInput>;

/**
 * Stores a memory. With an Idempotency-Key, its id is claimed first, so that a repetition finds it. If a process stopped between
 * claim and append, the next writer stores under the claimed id. A fact that is told again affirms the memory that has it.
 */
export async function storeMemory(
  services: CommandServices,
  context: CommandContext,
  input: StoreMemoryInput,
  inTurn: InTurn = (append) => append(),
): Promise<StoreResult> {
  const placed = place(context.caller, input);
  // Checked before anything is claimed.
  assertFits(placed);
  let store: Awaited<ReturnType<typeof storing>> | undefined;
  const record = CommandRecord.of(services, context);
  for (;;) {
    const fresh = services.newId();
    const id = record ? await takeClaim(services, context, record.stream, fresh) : fresh;
    if (record && id !== fresh) {
      // The key was used before: check the body before anything else is claimed.
      const earlier = await services.store.load<MemoryEvent>(memoryStream(context.caller.tenant, id));
      const replay = firstAnswer(record, earlier) ?? (await affirmedAnswer(services, context, record));
      if (replay) return replay;
      if (earlier.length > 0) {
        await releaseClaim(services, context, record.stream, id);
        continue;
      }
    }
    // Rules that changed since do not refuse a command that was carried out.
    store ??= await storing(
      services,
      context,
      input,
      await drafted(services, context, input, placed, inTurn),
    );
    const result = await store(id);
    if (result) return result;
  }
}

/** The memory with what the rules for it add. Throws if they refuse it. */
async function drafted(
  services: CommandServices,
  context: CommandContext,
  input: StoreMemoryInput,
  placed: Draft['value'],
  inTurn: InTurn,
): Promise<Draft> {
  const value = {
    ...placed,
    ...(await checkEntry(services, context, placed, { source: input.trust?.source })),
  };
  return { value, key: newMemoryKey(services, context, input, value), inTurn };
}

/** How this memory is stored under an id. Undefined if a concurrent run of the command took the id, or a claim was left behind. */
async function storing(
  services: CommandServices,
  context: CommandContext,
  { externalId, duplicates, subject }: StoreMemoryInput,
  draft: Draft,
): Promise<(id: string) => Promise<StoreResult | undefined>> {
  if (externalId !== undefined) return (id) => storeNamed(services, context, draft, externalId, id);
  const fact = { ...draft, duplicates, subject };
  const spaces = withoutCopies(await services.spaces.of(context.caller.tenant), draft.value.spaces);
  if (spaces.length > 0) return (id) => storeInSpaces(services, context, fact, spaces, id);
  if (!isAffirmable(draft.value)) return (id) => storeUnclaimed(services, context, draft, id);
  return (id) => storeFact(services, context, fact, id);
}

/** Stores the memory with this externalId, unless the caller sees another one that has it. A concurrent writer loses. */
async function storeNamed(
  services: CommandServices,
  context: CommandContext,
  { value, key, inTurn }: Draft,
  externalId: string,
  ownId: string,
): Promise<StoreResult | undefined> {
  const { caller } = context;
  const claims = externalIdClaims(services.vault, caller, value, externalId);
  const beside = await heldBeside(services, caller, value, claims);
  if (beside) throw externalIdTaken(caller, beside.snapshot);
  const { own: claim } = claims;
  const id = await takeClaim(services, context, claim, ownId);
  try {
    return await create(services, context, { value: { ...value, id, claim }, key, inTurn });
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
  }
  const loaded = await services.store.load<MemoryEvent>(memoryStream(caller.tenant, id));
  const record = CommandRecord.of(services, context);
  const replay = record && firstAnswer(record, loaded);
  if (replay) return replay;
  const snapshot = foldMemory(loaded);
  if (isLive(snapshot) && snapshot.state.value.claim === claim) throw externalIdTaken(caller, snapshot);
  // The erasure of that memory has not released the claim yet, or a run with the same key and another body left it.
  await releaseClaim(services, context, claim, id);
  return undefined;
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
    ...(isVisible(visible(caller), value) && mayHandle(caller, value) && { extra: { memoryId: value.id } }),
  });
}

/** Completes the scope from the credential and checks that the caller may write there. Throws if an identifier is missing. */
export function place(caller: TenantContext, input: StoreMemoryInput): Omit<MemoryValue, 'id'> {
  const { layer, subject: _, onConflict: __, duplicates: ___, trust: ____, scope, ...rest } = input;
  const placement = writablePlacement(caller, { layer, scope }, 'memories');
  const { externalId, occurredAt, expiresAt, retention, ...value } = rest;
  return {
    ...value,
    ...placement,
    createdBy: actorOf(caller),
    ...(externalId !== undefined && { externalId }),
    ...(occurredAt !== undefined && { occurredAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(retention !== undefined && { retention }),
  };
}
