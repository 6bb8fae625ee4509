import { isVisible, isWritable, visible } from '../domain/access/visibility.ts';
import { bytesBySpace } from '../domain/memory/lifetime.ts';
import {
  decide,
  evolve,
  patchedValue,
  type MemoryCommand,
  type MemoryState,
} from '../domain/memory/memory.ts';
import { mayHandle } from '../domain/trust/access.ts';
import { isWithheld } from '../domain/trust/trust.ts';
import { foldMemory, isLive, type LiveSnapshot, type MemorySnapshot } from '../domain/memory/snapshot.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { Problem } from '../domain/problems.ts';
import { isMemoryId, memoryStream } from '../domain/streams.ts';
import type { AppendResult } from '../ports/event-log.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { KeyRef } from '../ports/key-vault.ts';
import { changeStream } from './change-stream.ts';
import { checkEntry } from './entry/check-entry.ts';
import type { CommandContext, CommandResult, CommandServices } from './context.ts';

export interface MemoryResult extends CommandResult {
  readonly snapshot: LiveSnapshot;
  /** The command changed nothing and appended no event: it only read the memory. */
  readonly isUnchanged?: boolean | undefined;
}

/** Expected revision; `*` is any, undefined is no condition. */
export type MatchCondition = number | '*' | undefined;

/** Applies a command to a memory that the caller can see and write. */
export async function changeMemory(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  command: MemoryCommand,
  match?: MatchCondition,
): Promise<MemoryResult> {
  if (!isMemoryId(memoryId)) throw unknownMemory();
  const changed = await changeStream<MemoryEvent>(services, context, {
    stream: memoryStream(context.caller.tenant, memoryId),
    memoryId,
    authorize: (loaded) => assertWritable(context, visibleSnapshot(context, loaded)),
    decide: async (loaded) => {
      const snapshot = foldMemory(loaded);
      assertMatches(match, snapshot);
      return decide(await checked(services, context, command, snapshot.state), snapshot.state);
    },
    admit: (loaded, events, append) => withinQuotas(services, context, loaded, events, append),
    key: (loaded) => keyOfMemory(context, loaded),
  });
  const snapshot = foldMemory(changed.history);
  if (!isLive(snapshot)) throw unknownMemory();
  const { position, replayed, isUnchanged } = changed;
  return { snapshot, position, replayed, isUnchanged };
}

/** Appends what a command does to a memory, if its spaces have room for that. */
export function withinQuotas(
  { quotas }: CommandServices,
  { caller: { tenant } }: CommandContext,
  loaded: readonly LoadedEvent<MemoryEvent>[],
  events: readonly MemoryEvent[],
  append: () => Promise<AppendResult>,
): Promise<AppendResult> {
  const { state } = foldMemory(loaded);
  return quotas.within(tenant, bytesBySpace(state), bytesBySpace(events.reduce(evolve, state)), append);
}

/** The command with what the rules for its memory add to it. */
async function checked(
  services: CommandServices,
  context: CommandContext,
  command: MemoryCommand,
  state: MemoryState,
): Promise<MemoryCommand> {
  if (state.status !== 'active') return command;
  if (command.type === 'update') {
    const { patch, source, isAccepted } = command;
    const options = { before: state.value, source, isAccepted };
    const added = await checkEntry(services, context, patchedValue(state.value, patch), options);
    return { type: 'update', patch: { ...patch, ...added } };
  }
  if (command.type !== 'replace') return command;
  const { createdBy, trust } = state.value;
  const next = { ...command.value, createdBy, ...(trust && { trust }) };
  return {
    ...command,
    value: {
      ...command.value,
      ...(await checkEntry(services, context, next, { before: state.value, source: command.source })),
    },
  };
}

/** Throws `revision-mismatch` if the memory is at another revision than expected. */
export function assertMatches(match: MatchCondition, { revision }: MemorySnapshot): void {
  if (typeof match !== 'number' || match === revision) return;
  const named =
    match < 0 ? 'no revision: that is a number in quotes, and a weak tag never matches' : `revision ${match}`;
  throw new Problem('revision-mismatch', `If-Match names ${named}; the memory is at ${revision}`);
}

/** Loads a memory that the caller can see. Throws the same `not-found` if it is unknown, erased or not visible. */
export async function loadVisibleMemory(
  { store }: CommandServices,
  context: CommandContext,
  memoryId: string,
): Promise<{
  snapshot: LiveSnapshot;
  key: KeyRef | undefined;
  history: readonly LoadedEvent<MemoryEvent>[];
}> {
  if (!isMemoryId(memoryId)) throw unknownMemory();
  const loaded = await store.load<MemoryEvent>(memoryStream(context.caller.tenant, memoryId));
  return { snapshot: visibleSnapshot(context, loaded), key: keyOfMemory(context, loaded), history: loaded };
}

/** Throws `memory-deleted`: links and feedback need an active memory. */
export function assertNotDeleted(snapshot: MemorySnapshot): void {
  if (snapshot.state.status === 'deleted') {
    throw new Problem('memory-deleted', 'a deleted memory accepts no changes, links or feedback');
  }
}

/** Throws `awaits-review`: what nobody finds has no links and gets no feedback. */
export function assertNotWithheld({ state }: LiveSnapshot): void {
  if (isWithheld(state.value))
    throw new Problem('awaits-review', 'a memory that no reviewer has approved takes no links or feedback');
}

function visibleSnapshot(context: CommandContext, loaded: readonly LoadedEvent<MemoryEvent>[]): LiveSnapshot {
  const snapshot = foldMemory(loaded);
  if (!isLive(snapshot) || !isVisible(visible(context.caller), snapshot.state.value)) throw unknownMemory();
  if (!mayHandle(context.caller, snapshot.state.value)) throw unknownMemory();
  return snapshot;
}

export function assertWritable(context: CommandContext, snapshot: LiveSnapshot): void {
  if (isWritable(context.caller, snapshot.state.value)) return;
  throw new Problem(
    'forbidden',
    `this credential may not write memories of this ${snapshot.state.value.layer}`,
  );
}

/** All events of a memory are sealed with the key of its first event. */
export function keyOfMemory(
  context: CommandContext,
  loaded: readonly LoadedEvent<MemoryEvent>[],
): KeyRef | undefined {
  const { keyId, subject } = loaded[0]?.metadata ?? {};
  if (keyId === undefined || subject === undefined) return undefined;
  return { tenant: context.caller.tenant, id: keyId, subject };
}

export function unknownMemory(): Problem {
  return new Problem('not-found', 'no such memory');
}
