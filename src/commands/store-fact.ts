import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantContext } from '../domain/access/context.ts';
import { isVisible, visible } from '../domain/access/visibility.ts';
import {
  compareTelling,
  detailedToldKey,
  isAffirmable,
  toldKey,
  type FactClaim,
} from '../domain/memory/affirmation.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { foldMemory, isLive, type LiveSnapshot } from '../domain/memory/snapshot.ts';
import { Problem } from '../domain/problems.ts';
import { factStream, memoryStream } from '../domain/streams.ts';
import { isWithheld } from '../domain/trust/trust.ts';
import { WrongExpectedRevision, type ExpectedRevision, type StreamName } from '../ports/event-log.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { KeyDestroyed, type KeyRef, type KeyVault } from '../ports/key-vault.ts';
import { affirmationAt, affirmMemory } from './affirm-memory.ts';
import { unknownMemory } from './change-memory.ts';
import { CommandRecord } from './command-record.ts';
import type { CommandContext, CommandServices } from './context.ts';
import { create, firstAnswer, storeUnclaimed, type Draft, type StoreResult } from './create-memory.ts';

/** How often a store may lose a race with other writers of the same text before the caller is told to retry. */
const maxAttempts = 20;

export interface Fact extends Draft {
  readonly duplicates: 'affirm' | 'keep';
  /** The person that the content is about, if the caller names one. */
  readonly subject: string | undefined;
}

/**
 * Stores a fact under an id, or affirms the memory that says the same. Each text has a claim in its layer and scope; the memory
 * that holds it is the one to affirm. A claim and the memory that takes it are appended together, so that of two writers one stores
 * and the other affirms. A telling that says more than the text, such as another tag, is a memory of its own, under a claim that
 * names this as well.
 *
 * A claim goes over to the new memory if its holder does not say this any more: it was deleted, erased, or has got another text.
 * Undefined if a run of the same command took the id.
 */
export async function storeFact(
  services: CommandServices,
  context: CommandContext,
  fact: Fact,
  id: string,
): Promise<StoreResult | undefined> {
  const { value, subject, duplicates } = fact;
  const { tenant } = context.caller;
  const claimOf = (key: string) => factStream(tenant, services.vault.pseudonym('fact', tenant, key));
  const record = CommandRecord.of(services, context);
  let claim = claimOf(toldKey(value));
  let isDetailed = false;
  /** Revision of the claim at which it is to be taken; undefined if another writer that has it is about to store the fact. */
  let expected: ExpectedRevision | undefined = 'noStream';
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (expected !== undefined) {
      const taken = await take(services, context, fact, { id, claim, expected });
      if (taken !== 'claimed') return taken;
    } else await sleep(Math.random() * 5 * attempt);
    const [held] = await services.store.loadLast<FactClaim>(claim, 1);
    expected = held?.revision ?? 'noStream';
    if (!held) continue;
    const { memoryId } = held.event.data;
    const first = await services.store.load<MemoryEvent>(memoryStream(tenant, memoryId));
    if (first.length === 0) {
      // A process stopped between claim and append, or has not come to the append: whoever appends first has stored it.
      const stored = await storeUnclaimed(services, context, fact, memoryId);
      if (stored) return stored;
      expected = undefined;
      continue;
    }
    const replay = record && firstAnswer(record, first);
    if (replay) return replay;
    const found = compareWith(services, context, { value, subject }, first);
    if (found === 'other' || (found === 'more' && isDetailed)) continue;
    if (duplicates === 'keep') return storeUnclaimed(services, context, fact, id);
    if (found === 'more') {
      [claim, isDetailed, expected] = [claimOf(detailedToldKey(value, subject)), true, 'noStream'];
      continue;
    }
    const affirmed = await affirm(services, context, value, first, record);
    if (affirmed) return affirmed;
  }
  throw new Problem('unavailable', 'too many writers tell this fact at once', { retryAfter: 1 });
}

/** Stores the memory with its claim. `claimed` if another memory has the claim; undefined if the id is taken. */
async function take(
  services: CommandServices,
  context: CommandContext,
  { value, key, inTurn }: Fact,
  {
    id,
    claim: stream,
    expected,
  }: { readonly id: string; readonly claim: StreamName; readonly expected: ExpectedRevision },
): Promise<StoreResult | 'claimed' | undefined> {
  try {
    const claimed: FactClaim = { type: 'FactClaimed', data: { memoryId: id } };
    const claim = { stream, expected, events: [claimed] };
    return await create(services, context, { value: { ...value, id }, key, inTurn, claim });
  } catch (error) {
    // A full space still hears what it holds already.
    if (isFull(error) && expected === 'noStream' && (await services.store.loadLast(stream, 1)).length > 0)
      return 'claimed';
    if (!(error instanceof WrongExpectedRevision)) throw error;
    return error.stream === stream ? 'claimed' : undefined;
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Problem && error.code === 'space-quota-exceeded';
}

/** How the telling compares with a memory; `other` if the memory is not there any more, or not for this caller. */
function compareWith(
  { vault }: CommandServices,
  { caller }: CommandContext,
  { value, subject }: Pick<Fact, 'value' | 'subject'>,
  first: readonly LoadedEvent<MemoryEvent>[],
): ReturnType<typeof compareTelling> {
  const { state } = foldMemory(first);
  if (state.status !== 'active' || !isVisible(visible(caller), state.value)) return 'other';
  // Only its writer may tell a memory again that is awaiting review, and that second telling would be held as well.
  const isOwn = isWithheld(value) && value.createdBy === state.value.createdBy;
  if (isWithheld(state.value) && !isOwn) return 'other';
  const found = compareTelling(value, state.value);
  return found === 'same' && isAboutAnother(vault, caller, subject, first) ? 'more' : found;
}

/** Whether the telling names another person than the one that the memory is about. */
export function isAboutAnother(
  vault: KeyVault,
  { tenant }: TenantContext,
  subject: string | undefined,
  first: readonly LoadedEvent<MemoryEvent>[],
): boolean {
  return subject !== undefined && vault.pseudonym('subject', tenant, subject) !== first[0]?.metadata.subject;
}

/** The memory of the same layer and scope that says the same; undefined if its claim is free, or it says less. */
export async function findTold(
  services: CommandServices,
  context: CommandContext,
  { value, subject }: Pick<Fact, 'value' | 'subject'>,
): Promise<readonly LoadedEvent<MemoryEvent>[] | undefined> {
  if (!isAffirmable(value)) return undefined;
  const { tenant } = context.caller;
  const claim = factStream(tenant, services.vault.pseudonym('fact', tenant, toldKey(value)));
  const [held] = await services.store.loadLast<FactClaim>(claim, 1);
  if (!held) return undefined;
  const first = await services.store.load<MemoryEvent>(memoryStream(tenant, held.event.data.memoryId));
  return first.length > 0 && compareWith(services, context, { value, subject }, first) === 'same'
    ? first
    : undefined;
}

/** Affirms the memory. Undefined if it was deleted or erased meanwhile: then the fact is to be stored. */
export async function affirm(
  services: CommandServices,
  context: CommandContext,
  { occurredAt }: Pick<Draft['value'], 'occurredAt'>,
  loaded: readonly LoadedEvent<MemoryEvent>[],
  record: CommandRecord | undefined,
): Promise<StoreResult | undefined> {
  const { tenant } = context.caller;
  const [{ event, metadata }] = loaded as [LoadedEvent<MemoryEvent>];
  const { memoryId } = event.data;
  const key: KeyRef = { tenant, id: metadata.keyId!, subject: metadata.subject! };
  const told = occurredAt ?? services.clock.now().toISOString();
  try {
    const affirmed = await affirmMemory(services, context, { memoryId, told, key }, record);
    const snapshot = foldMemory(await services.store.load<MemoryEvent>(memoryStream(tenant, memoryId)));
    if (snapshot.state.status !== 'active') return undefined;
    if (record) {
      const { revision, position } = affirmed;
      await record.read();
      await record.write({ memoryId, revision, position });
    }
    const { position, affirmations } = affirmed;
    return { snapshot: snapshot as LiveSnapshot, position, replayed: false, affirmed: affirmations };
  } catch (error) {
    if (error instanceof KeyDestroyed) return undefined;
    throw error;
  }
}

/** The first answer of a repeated command that affirmed a memory. Undefined if it did not get that far. */
export async function affirmedAnswer(
  services: CommandServices,
  context: CommandContext,
  record: CommandRecord,
): Promise<StoreResult | undefined> {
  const recorded = await record.read();
  if (!recorded) return undefined;
  const { memoryId, revision, position } = recorded;
  const affirmed = await affirmationAt(services, context, memoryId, revision);
  const loaded = await services.store.load<MemoryEvent>(memoryStream(context.caller.tenant, memoryId));
  const now = foldMemory(loaded);
  const then = foldMemory(loaded.filter((event) => event.position <= position));
  if (!affirmed || !isLive(now) || !isLive(then)) throw unknownMemory();
  return { snapshot: then, position, replayed: true, affirmed: affirmed.affirmations };
}
