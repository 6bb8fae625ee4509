import { decideLink, foldLinks, noLinks, type LinkEvent } from '../../domain/links/links.ts';
import { Problem } from '../../domain/problems.ts';
import { linksStream } from '../../domain/streams.ts';
import { isBelow, isWithheld, unrecordedTrust, type Trust } from '../../domain/trust/trust.ts';
import { loadVisibleMemory } from '../change-memory.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { linkMemories } from '../link-memories.ts';
import { minConfidence, type ConflictFinder } from '../resolve-conflicts.ts';
import { storeMemory, type StoreMemoryInput } from '../store-memory.ts';
import { flagContradiction } from '../trust/flag-contradiction.ts';

export interface ToldFact {
  readonly memoryId: string;
  readonly outcome: 'stored' | 'affirmed';
  /** Covers the memory and its links. */
  readonly position: number;
}

export interface TellingParts {
  readonly services: CommandServices;
  readonly finder: Pick<ConflictFinder, 'find'>;
}

const passing: readonly string[] = ['not-found', 'memory-deleted', 'awaits-review', 'forbidden'];

/**
 * Stores a fact that was drawn from these turns, or affirms the memory that says the same, and decides it against what is known up to
 * `upTo`: it supersedes what it clearly replaces, and is linked as contradicting the rest. The context has an identity, so that a
 * repetition repeats nothing.
 */
export async function tellFact(
  { services, finder }: TellingParts,
  context: CommandContext,
  fact: StoreMemoryInput,
  { turnIds, upTo }: { readonly turnIds: readonly string[]; readonly upTo: number },
): Promise<ToldFact> {
  const { snapshot, affirmed, position } = await storeMemory(services, context, fact);
  const memoryId = snapshot.state.value.id;
  if (affirmed) return { memoryId, outcome: 'affirmed', position };
  // What follows is part of the same command: it must not be taken for a repetition of it.
  const { idempotency: _, ...own } = context;
  const linked = await linkSources(services, own, memoryId, turnIds);
  const decided = await settleConflicts({ services, finder }, own, memoryId, upTo);
  return { memoryId, outcome: 'stored', position: Math.max(position, linked, decided) };
}

/** Links a fact to the turns that it was drawn from, also one that waits for a review: the reviewer sees where it comes from. */
export async function linkSources(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  turnIds: readonly string[],
): Promise<number> {
  const { position } = await changeStream<LinkEvent>(services, context, {
    stream: linksStream(context.caller.tenant, memoryId),
    memoryId,
    decide: (loaded) => {
      const links = foldLinks(
        noLinks,
        loaded.map(({ event }) => event),
      );
      return turnIds.flatMap((target) =>
        decideLink({ type: 'link', source: memoryId, target, link: 'derived_from', confidence: 1 }, links),
      );
    },
  });
  return position;
}

/** Returns the position of the last link. Repeated, it changes nothing. */
export async function settleConflicts(
  { services, finder }: TellingParts,
  context: CommandContext,
  memoryId: string,
  upTo: number,
): Promise<number> {
  const { snapshot } = await loadVisibleMemory(services, context, memoryId);
  const { value } = snapshot.state;
  // It says nothing about other memories before it is approved.
  if (snapshot.state.status !== 'active' || isWithheld(value)) return 0;
  const stored = { ...value, updatedAt: snapshot.updatedAt.toISOString() };
  const { conflicts } = await finder.find(context.caller, stored, upTo);
  const differing = conflicts.filter(({ kind }) => kind !== 'duplicates');
  await flagContradiction(services, context, { value, cause: context.cause }, differing);
  let position = 0;
  for (const { id, kind, confidence, isOutdated } of conflicts) {
    try {
      const other = (await loadVisibleMemory(services, context, id)).snapshot.state.value;
      const supersedes = confidence >= minConfidence && !isOutdated && !isOutranked(value.trust, other.trust);
      if (!supersedes && kind === 'duplicates') continue;
      const link = supersedes ? 'supersedes' : 'contradicts';
      const linked = await linkMemories(services, context, memoryId, link, id, confidence);
      position = Math.max(position, linked.position);
    } catch (error) {
      // Deleted, erased or withheld meanwhile.
      if (!(error instanceof Problem && passing.includes(error.code))) throw error;
    }
  }
  return position;
}

/** What a model has drawn never replaces what a more trusted source has said itself. */
function isOutranked(own: Trust = unrecordedTrust, other: Trust = unrecordedTrust): boolean {
  return isBelow(own.source, other.source);
}
