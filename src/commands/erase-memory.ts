import { factsOfTurn } from '../domain/conversations/conversation.ts';
import { conversationIdOf } from '../domain/conversations/turn-ids.ts';
import { hasRole } from '../domain/access/context.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { decide } from '../domain/memory/memory.ts';
import { foldMemory, isLive } from '../domain/memory/snapshot.ts';
import { keysName, type SurfaceCount } from '../domain/erasure/erasure.ts';
import type { FilesWhen } from '../domain/erasure/events.ts';
import { Problem } from '../domain/problems.ts';
import { isMemoryId, memoryStream } from '../domain/streams.ts';
import type { StreamName } from '../ports/event-log.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { changeStream } from './change-stream.ts';
import { assertMatches, unknownMemory, type MatchCondition } from './change-memory.ts';
import { releaseClaim } from './claims.ts';
import { forgetSection } from './documents/forget-section.ts';
import { readConversation } from './conversations/draw-facts.ts';
import { eraseFeedback } from './erase-feedback.ts';
import { recordMemoryErasure } from './erasure/request-erasure.ts';
import { eraseSummaries } from './summaries/erase-summaries.ts';
import { callerKey, type CommandContext, type CommandResult, type CommandServices } from './context.ts';

export interface ErasureResult extends CommandResult {
  readonly memoryId: string;
  readonly revision: number;
  readonly erasedAt: Date;
}

export interface EraseOptions {
  readonly match?: MatchCondition;
  /** When the files of the database are rewritten. */
  readonly files?: FilesWhen;
  /** Counts what the surfaces hold of the memory, for the receipt. */
  readonly count?: (memoryId: string) => Promise<readonly SurfaceCount[]>;
}

/**
 * Erases one memory permanently: appends the event, begins the receipt, destroys the key, releases the claim, erases the
 * feedback, the summaries that quote it and the text of its document, in this order. If the process stops in between, the reactor of erasures does the rest, driven by the event.
 */
export async function eraseMemory(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  { match, files, count }: EraseOptions = {},
): Promise<ErasureResult> {
  if (!hasRole(context.caller, 'admin')) throw new Problem('forbidden', 'erasing needs the role admin');
  if (!isMemoryId(memoryId)) throw unknownMemory();
  const counts = await count?.(memoryId);
  const changed = await changeStream<MemoryEvent>(services, context, {
    stream: memoryStream(context.caller.tenant, memoryId),
    memoryId,
    decide: (loaded) => {
      const snapshot = foldMemory(loaded);
      if (isLive(snapshot)) assertMatches(match, snapshot);
      return snapshot.state.status === 'erased'
        ? erasureOf(loaded)
        : decide({ type: 'erase', keyId: keyIdOf(loaded) }, snapshot.state);
    },
    // The memory's own key is about to be destroyed; the reason of the erasure must stay readable.
    key: () => callerKey(services.vault, context.caller),
  });
  const last = changed.history.at(-1)!;
  if (last.event.type === 'MemoryErased') {
    await recordMemoryErasure(services, context, memoryId, {
      ...(files && { files }),
      ...(counts && { counts: [{ name: keysName, count: changed.isUnchanged ? 0 : 1 }, ...counts] }),
    });
    await services.vault.destroy(context.caller.tenant, last.event.data.keyId);
    await eraseBeside(services, context, last.event.data);
  }
  return {
    memoryId,
    revision: last.revision,
    erasedAt: last.time,
    position: changed.position,
    replayed: changed.replayed,
  };
}

/**
 * Releases the externalId, and erases the feedback, the summaries that quote the memory, the text of its document and the facts drawn from
 * it. Idempotent.
 */
export async function eraseBeside(
  services: CommandServices,
  context: CommandContext,
  erased: {
    readonly memoryId: string;
    readonly claim?: string | undefined;
    readonly documentId?: string | undefined;
  },
): Promise<void> {
  if (erased.claim !== undefined)
    await releaseClaim(services, context, erased.claim as StreamName, erased.memoryId);
  await eraseFeedback(services, context, erased.memoryId);
  await eraseSummaries(services, context, erased.memoryId);
  if (erased.documentId !== undefined)
    await forgetSection(services, context, erased.documentId, erased.memoryId);
  await eraseFacts(services, context, erased.memoryId);
}

/** Erases the facts that were drawn from a turn: their words may be those of the turn. */
async function eraseFacts(services: CommandServices, context: CommandContext, turnId: string): Promise<void> {
  const conversation = await readConversation(services, context.caller.tenant, conversationIdOf(turnId));
  if (!conversation) return;
  const { idempotency: _, ...own } = context;
  const admin = { ...own, caller: { ...own.caller, roles: ['admin'] as const } };
  for (const memoryId of factsOfTurn(conversation, turnId)) await eraseMemory(services, admin, memoryId);
}

/** The event of an erasure, from what stays readable of a memory whose key is destroyed; none if it is in the log. */
export function erasureOf(loaded: readonly LoadedEvent<MemoryEvent>[]): MemoryEvent[] {
  const [first] = loaded;
  if (first?.event.type !== 'MemoryStored' || loaded.at(-1)?.event.type === 'MemoryErased') return [];
  const { memoryId, claim, documentId } = first.event.data;
  const named = { ...(claim !== undefined && { claim }), ...(documentId !== undefined && { documentId }) };
  return [{ type: 'MemoryErased', data: { memoryId, keyId: keyIdOf(loaded), ...named } }];
}

function keyIdOf(loaded: readonly LoadedEvent<MemoryEvent>[]): string {
  return loaded[0]?.metadata.keyId ?? '';
}
