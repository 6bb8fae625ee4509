import { setTimeout as sleep } from 'node:timers/promises';
import { audienceContains } from '../domain/access/audience.ts';
import { isVisible, visible } from '../domain/access/visibility.ts';
import { canonicalJson } from '../domain/json.ts';
import { isAffirmable, toldForm, toldKey, type FactClaim } from '../domain/memory/affirmation.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { foldMemory } from '../domain/memory/snapshot.ts';
import { Problem } from '../domain/problems.ts';
import { factStream, memoryStream } from '../domain/streams.ts';
import { isWithheld } from '../domain/trust/trust.ts';
import { WrongExpectedRevision, type ExpectedRevision, type StreamName } from '../ports/event-log.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { CommandRecord } from './command-record.ts';
import { unsealedContext, type CommandContext, type CommandServices } from './context.ts';
import { create, firstAnswer, type StoreResult } from './create-memory.ts';
import { affirm, findTold, isAboutAnother, type Fact } from './store-fact.ts';

/** How often a store may lose a race with other writers of the same text before the caller is told to retry. */
const maxAttempts = 20;
/** After so many looks, a memory that was claimed and never appended is taken as given up. */
const looksForClaimed = 10;
/** Memories of one text that are compared, the newest first: they differ in who sees them. */
const maxHolders = 50;

/** The claim of a text in one space. */
interface SpaceClaim {
  readonly space: string;
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  /** Memories of the space that have or had the text, the newest first. */
  readonly holders: readonly string[];
}

/**
 * Stores a memory of spaces that keep no text twice, or affirms the memory that has the text there already: in any layer and scope, if
 * everybody who would see the new memory sees that one. What else the telling says, such as tags, is not compared. Each text has a claim in
 * its space, and a claim and the memory that takes it are appended together, so that of two writers one stores and the other affirms.
 * Undefined if a run of the same command took the id.
 */
export async function storeInSpaces(
  services: CommandServices,
  context: CommandContext,
  fact: Fact,
  spaces: readonly string[],
  id: string,
): Promise<StoreResult | undefined> {
  const record = CommandRecord.of(services, context);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const claims = await Promise.all(spaces.map((space) => readClaim(services, context, fact, space)));
    const isKept = fact.duplicates === 'keep';
    const found = isKept ? undefined : await findHolder(services, context, fact, claims, record);
    if (found === 'awaited' && attempt < looksForClaimed) {
      await sleep(Math.random() * 10 * (attempt + 1));
      continue;
    }
    if (found && found !== 'awaited' && 'snapshot' in found) return found;
    const told = found && found !== 'awaited' ? found.first : await findTold(services, context, fact);
    if (told && !isKept) {
      const affirmed = await affirm(services, context, fact.value, told, record);
      if (affirmed) return affirmed;
      continue;
    }
    const stored = await take(services, context, fact, claims, id);
    if (stored !== 'claimed') return stored;
  }
  throw new Problem('unavailable', 'too many writers tell this fact at once', { retryAfter: 1 });
}

async function readClaim(
  { store, vault }: CommandServices,
  { caller: { tenant } }: CommandContext,
  { value }: Fact,
  space: string,
): Promise<SpaceClaim> {
  const key = canonicalJson(['space', space, toldForm(value.content)]);
  const stream = factStream(tenant, vault.pseudonym('fact', tenant, key));
  const held = await store.loadLast<FactClaim>(stream, maxHolders);
  const holders = [...new Set(held.map(({ event }) => event.data.memoryId))];
  return { space, stream, expected: held[0]?.revision ?? 'noStream', holders };
}

/** The memory to affirm, or the answer of an earlier run of the command; `awaited` if a writer has a claim and no memory yet. */
async function findHolder(
  { store, vault }: CommandServices,
  context: CommandContext,
  { value, subject }: Fact,
  claims: readonly SpaceClaim[],
  record: CommandRecord | undefined,
): Promise<{ readonly first: readonly LoadedEvent<MemoryEvent>[] } | StoreResult | 'awaited' | undefined> {
  const { caller } = context;
  let isAwaited = false;
  for (const { space, holders } of claims)
    for (const memoryId of holders) {
      const first = await store.load<MemoryEvent>(memoryStream(caller.tenant, memoryId));
      if (first.length === 0) isAwaited = true;
      const replay = first.length > 0 ? record && firstAnswer(record, first) : undefined;
      if (replay) return replay;
      const { state } = foldMemory(first);
      if (state.status !== 'active' || !state.value.spaces.includes(space)) continue;
      if (toldForm(state.value.content) !== toldForm(value.content)) continue;
      if (!isVisible(visible(caller), state.value) || !audienceContains(state.value, value)) continue;
      const isOwn = isWithheld(value) && value.createdBy === state.value.createdBy;
      if ((isWithheld(state.value) && !isOwn) || isAboutAnother(vault, caller, subject, first)) continue;
      return { first };
    }
  return isAwaited ? 'awaited' : undefined;
}

/** Stores the memory with its claim in the first space; then claims the text in the others, and in its layer and scope. */
async function take(
  services: CommandServices,
  context: CommandContext,
  { value, key, inTurn }: Fact,
  claims: readonly SpaceClaim[],
  id: string,
): Promise<StoreResult | 'claimed' | undefined> {
  const claimed: FactClaim = { type: 'FactClaimed', data: { memoryId: id } };
  const [{ stream, expected }] = claims as [SpaceClaim];
  let stored: StoreResult;
  try {
    const claim = { stream, expected, events: [claimed] };
    stored = await create(services, context, { value: { ...value, id }, key, inTurn, claim });
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    return error.stream === stream ? 'claimed' : undefined;
  }
  const { tenant } = context.caller;
  const placed = factStream(tenant, services.vault.pseudonym('fact', tenant, toldKey(value)));
  const others = [
    ...claims.slice(1),
    ...(isAffirmable(value) ? [{ stream: placed, expected: 'noStream' as const }] : []),
  ];
  for (const other of others)
    await services.store
      .append(other.stream, other.expected, [claimed], unsealedContext(context))
      .catch((error: unknown) => {
        // Another memory has the claim: that one is affirmed.
        if (!(error instanceof WrongExpectedRevision)) throw error;
      });
  return stored;
}
