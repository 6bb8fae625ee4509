import type { MemoryEvent } from '../domain/memory/events.ts';
import { overBecause, type PruningCause } from '../domain/memory/lifetime.ts';
import { decide, hasValue } from '../domain/memory/memory.ts';
import { foldMemory } from '../domain/memory/snapshot.ts';
import type { Spaces } from '../domain/spaces/spaces.ts';
import { memoryStream } from '../domain/streams.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { KeyDestroyed } from '../ports/key-vault.ts';
import { keyOfMemory, withinQuotas } from './change-memory.ts';
import { changeStream } from './change-stream.ts';
import type { CommandContext, CommandServices } from './context.ts';
import { retentionUntil } from './delete-memory.ts';

/**
 * Soft-deletes a memory whose time is over for this reason, as its own events and the configuration of its spaces say now. Does nothing
 * otherwise, so it may be repeated. Returns the position of the deletion.
 */
export function pruneMemory(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  { because, now, spaces }: { readonly because: PruningCause; readonly now: Date; readonly spaces: Spaces },
): Promise<number | undefined> {
  return changeUnasked(services, { ...context, reason: because }, memoryId, (loaded) => {
    const { state, createdAt } = foldMemory(loaded);
    if (!hasValue(state) || overBecause(state.value, { createdAt, now, spaces }) !== because) return [];
    const until = retentionUntil(services.clock.now());
    return decide({ type: 'delete', retentionUntil: until, because }, state);
  });
}

/**
 * Takes the label of a removed space from a memory, unless the memory got it after the removal. Returns the position of the change;
 * undefined if there is nothing to do.
 */
export function detachMemory(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  { space, removedAt }: { readonly space: string; readonly removedAt: number },
): Promise<number | undefined> {
  return changeUnasked(services, context, memoryId, (loaded) => {
    const { state } = foldMemory(loaded);
    const labelled = loaded.findLast(
      ({ event }) => 'spaces' in event.data && event.data.spaces !== undefined,
    );
    if (!hasValue(state) || !labelled || labelled.position > removedAt) return [];
    return decide({ type: 'detach', space }, state);
  });
}

/** Changes a memory for the program itself. Returns the position of the change; undefined if there is none, or the memory is erased. */
async function changeUnasked(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  decideUnasked: (loaded: readonly LoadedEvent<MemoryEvent>[]) => readonly MemoryEvent[],
): Promise<number | undefined> {
  try {
    const { position, isUnchanged } = await changeStream<MemoryEvent>(services, context, {
      stream: memoryStream(context.caller.tenant, memoryId),
      memoryId,
      decide: decideUnasked,
      admit: (loaded, events, append) => withinQuotas(services, context, loaded, events, append),
      key: (loaded) => keyOfMemory(context, loaded),
    });
    return isUnchanged ? undefined : position;
  } catch (error) {
    if (error instanceof KeyDestroyed) return undefined;
    throw error;
  }
}
