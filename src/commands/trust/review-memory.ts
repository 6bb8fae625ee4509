import { actorOf, type TenantContext } from '../../domain/access/context.ts';
import { isVisible, visible } from '../../domain/access/visibility.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { foldMemory, isLive, type LiveSnapshot } from '../../domain/memory/snapshot.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import { trustPoliciesOf } from '../../domain/spaces/spaces.ts';
import { isMemoryId, memoryStream } from '../../domain/streams.ts';
import type { ReviewDecision } from '../../domain/trust/decisions.ts';
import { isReviewer } from '../../domain/trust/policy.ts';
import { decideReview, lastDecision } from '../../domain/trust/review.ts';
import { isWithheld, unrecordedTrust } from '../../domain/trust/trust.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { unknownMemory, type MemoryResult } from '../change-memory.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { retentionUntil } from '../delete-memory.ts';
import { linkMemories, unlinkMemories } from '../link-memories.ts';

export interface ReviewCommand {
  readonly memoryId: string;
  readonly decision: ReviewDecision;
  readonly other?: string | undefined;
  /** The revision that the reviewer has seen. */
  readonly expectedRevision?: number;
}

/**
 * Records what a reviewer decides about a memory. What supersedes another memory is linked to it afterwards; if the process stops in
 * between, the same decision again makes the link.
 */
export async function reviewMemory(
  services: CommandServices,
  context: CommandContext,
  { memoryId, decision, other, expectedRevision }: ReviewCommand,
): Promise<MemoryResult> {
  if (!isMemoryId(memoryId)) throw unknownMemory();
  const { caller } = context;
  if (context.cause === 'llm')
    throw new Problem('forbidden', 'a review is the decision of a person: the cause must not be llm');
  const spaces = await services.spaces.of(caller.tenant);
  const mayReview = ({ state }: LiveSnapshot) =>
    isReviewer(trustPoliciesOf(spaces, state.value.spaces), caller);
  if (other !== undefined) await assertComparable(services, caller, memoryId, other);
  const changed = await changeStream<MemoryEvent>(services, context, {
    stream: memoryStream(caller.tenant, memoryId),
    memoryId,
    authorize(loaded) {
      const snapshot = foldMemory(loaded);
      if (!isLive(snapshot) || !isVisible(visible(caller), snapshot.state.value)) throw unknownMemory();
      if (mayReview(snapshot)) return;
      if (isWithheld(snapshot.state.value)) throw unknownMemory();
      throw new Problem('forbidden', 'this credential has none of the roles that review this memory');
    },
    async decide(loaded) {
      const history = loaded.map(({ event }) => event);
      const revision = loaded.at(-1)?.revision;
      if (expectedRevision !== undefined && revision !== expectedRevision)
        throw new Problem(
          'revision-mismatch',
          'somebody else has changed the memory or decided about it since you saw it: look at it again',
        );
      if (foldMemory(loaded).state.status === 'archived')
        throw new Problem('memory-archived', 'an archived memory is not reviewed');
      const until = retentionUntil(services.clock.now()).toISOString();
      const reviewer = actorOf(caller);
      const events = decideReview({ decision, reviewer, other, retentionUntil: until }, history);
      const taken = decision === 'undo' ? lastDecision(history) : undefined;
      // Taking back one's own rejection releases nothing that was held before.
      if (taken?.trust.reviewedBy !== reviewer) assertNotOwn(caller, loaded, events);
      // Before the memory may be withheld again: then it takes no links.
      if (taken?.decision === 'supersede' && taken.other !== undefined)
        await unlinkMemories(services, asAdmin(context), memoryId, 'supersedes', taken.other);
      return events;
    },
    key: (loaded) => {
      const { keyId, subject } = loaded[0]!.metadata;
      return { tenant: caller.tenant, id: keyId!, subject: subject! };
    },
  });
  const snapshot = foldMemory(changed.history);
  if (!isLive(snapshot)) throw unknownMemory();
  const { replayed, isUnchanged, position } = changed;
  if (decision !== 'supersede' || other === undefined) return { snapshot, position, replayed, isUnchanged };
  const linked = await linkMemories(services, asAdmin(context), memoryId, 'supersedes', other, 1);
  return { snapshot, position: Math.max(position, linked.position), replayed, isUnchanged };
}

/** The link is part of the decision: the reviewer may lack the right to change what it decides about. */
function asAdmin({ idempotency: _, ...context }: CommandContext): CommandContext {
  return { ...context, caller: { ...context.caller, roles: ['admin'] } };
}

/** The other memory must be one that the reviewer sees and that everybody finds. */
async function assertComparable(
  { store }: CommandServices,
  caller: TenantContext,
  memoryId: string,
  other: string,
): Promise<void> {
  if (other === memoryId) throw invalid('with', 'must be another memory');
  const loaded = isMemoryId(other) ? await store.load<MemoryEvent>(memoryStream(caller.tenant, other)) : [];
  const { state } = foldMemory(loaded);
  if (state.status !== 'active' || isWithheld(state.value) || !isVisible(visible(caller), state.value))
    throw invalid('with', 'must be the id of an active memory that is not held itself');
}

/**
 * Throws if the review would release a memory that the reviewer wrote. The development identity is one person without a second: it may
 * release what agents, tools or imports wrote in its name.
 */
function assertNotOwn(
  caller: TenantContext,
  loaded: readonly LoadedEvent<MemoryEvent>[],
  events: readonly MemoryEvent[],
): void {
  const before = foldMemory(loaded);
  const review = events.find((event) => event.type === 'MemoryReviewed');
  if (!review || !isLive(before) || !isWithheld(before.state.value) || isWithheld(review.data)) return;
  const { source } = before.state.value.trust ?? unrecordedTrust;
  if (caller.principal === 'development' && source !== 'user') return;
  const own = loaded.some(
    ({ event, metadata }) =>
      (event.type === 'MemoryStored' ||
        (event.type === 'MemoryUpdated' && event.data.contentLength !== undefined)) &&
      (metadata.actor === actorOf(caller) || metadata.principal === caller.principal),
  );
  if (own)
    throw new Problem(
      'own-memory',
      'this credential, or the person behind it, wrote the memory: another reviewer has to release it',
    );
}
