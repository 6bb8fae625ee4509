import type { TenantContext } from '../../domain/access/context.ts';
import { isVisible, isWritable, visible } from '../../domain/access/visibility.ts';
import {
  decideResolution,
  foldCluster,
  type Cluster,
  type ResolutionCommand,
} from '../../domain/duplicates/cluster.ts';
import type { DuplicateEvent } from '../../domain/duplicates/events.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { foldMemory, isLive, type LiveSnapshot } from '../../domain/memory/snapshot.ts';
import { Problem } from '../../domain/problems.ts';
import { trustPoliciesOf } from '../../domain/spaces/spaces.ts';
import { duplicatesStream, isMemoryId, memoryStream } from '../../domain/streams.ts';
import { isReviewer } from '../../domain/trust/policy.ts';
import { isWithheld } from '../../domain/trust/trust.ts';
import { changeMemory } from '../change-memory.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandResult, CommandServices } from '../context.ts';
import { restoreMemory, retentionUntil } from '../delete-memory.ts';
import { linkMemories, unlinkMemories } from '../link-memories.ts';

export interface ResolveDuplicates extends ResolutionCommand {
  readonly clusterId: string;
  /** Whether the caller decides as a reviewer of the space, and not as somebody who may write the memories. */
  readonly asReviewer?: boolean;
}

export interface ResolvedDuplicates extends CommandResult {
  readonly cluster: Cluster;
  /** The members that the caller sees: those that are not erased, and after `keep_representative` also those that it deleted. */
  readonly members: readonly LiveSnapshot[];
}

/** What became of a memory since: it needs nothing any more. */
const passing: readonly string[] = [
  'not-found',
  'memory-deleted',
  'retention-over',
  'awaits-review',
  'memory-archived',
];

/**
 * Decides about a cluster of duplicates. `keep_representative` links the representative as superseding the others and soft-deletes them;
 * `manual` takes the last decision back. If the process stops in between, the same decision again does the rest.
 */
export async function resolveDuplicates(
  services: CommandServices,
  context: CommandContext,
  { clusterId, asReviewer = false, ...command }: ResolveDuplicates,
): Promise<ResolvedDuplicates> {
  if (!isMemoryId(clusterId)) throw unknownCluster();
  const { caller } = context;
  const stream = duplicatesStream(caller.tenant, clusterId);
  const before = foldCluster((await services.store.load<DuplicateEvent>(stream)).map(({ event }) => event));
  if (!before) throw unknownCluster();
  await assertMayDecide(services, context, before, asReviewer);
  const changed = await changeStream<DuplicateEvent>(services, context, {
    stream,
    memoryId: before.representative,
    async decide(loaded) {
      const cluster = foldCluster(loaded.map(({ event }) => event))!;
      const members = await membersOf(services, caller, cluster);
      const active = members.filter(isActive).map(({ state }) => state.value.id);
      const events = decideResolution(cluster, command, active);
      // First: what cannot be restored, because its space is full, leaves the decision as it is.
      if (command.resolution === 'manual' && events.length > 0) await restore(services, context, cluster);
      return events;
    },
  });
  const cluster = foldCluster(changed.history.map(({ event }) => event))!;
  const last = await services.store.load<DuplicateEvent>(stream);
  const now = foldCluster(last.map(({ event }) => event))!;
  const isCurrent = now.resolution === cluster.resolution && now.representative === cluster.representative;
  let { position } = changed;
  if (isCurrent && cluster.resolution === 'keep_representative')
    position = Math.max(position, await deleteOthers(services, context, cluster));
  const members = await membersOf(services, caller, cluster);
  return { cluster, members, position, replayed: changed.replayed };
}

/** Throws `not-found` unless the caller sees the memories, and `forbidden` unless it may change or review them. */
async function assertMayDecide(
  services: CommandServices,
  { caller, cause }: CommandContext,
  cluster: Cluster,
  asReviewer: boolean,
): Promise<void> {
  const members = await membersOf(services, caller, cluster);
  const needed = cluster.resolution === 'keep_representative' ? 1 : 2;
  if (members.length < needed) throw unknownCluster();
  if (asReviewer) {
    if (cause === 'llm')
      throw new Problem('forbidden', 'a review is the decision of a person: the cause must not be llm');
    const spaces = await services.spaces.of(caller.tenant);
    if (isReviewer(trustPoliciesOf(spaces, [cluster.space]), caller)) return;
    throw new Problem(
      'forbidden',
      'this credential has none of the roles that review memories of this space',
    );
  }
  if (!members.every(({ state }) => isWritable(caller, state.value)))
    throw new Problem('forbidden', 'this credential may not change the memories of this cluster');
}

/** The members that the caller sees; deleted ones only if the resolution deleted them. */
async function membersOf(
  { store }: CommandServices,
  caller: TenantContext,
  { members, deleted, space }: Cluster,
): Promise<LiveSnapshot[]> {
  const visibility = visible(caller);
  const found: LiveSnapshot[] = [];
  for (const id of members.keys()) {
    const snapshot = foldMemory(await store.load<MemoryEvent>(memoryStream(caller.tenant, id)));
    if (!isLive(snapshot) || !isVisible(visibility, snapshot.state.value)) continue;
    const isShown = isActive(snapshot) && snapshot.state.value.spaces.includes(space);
    if (isShown || deleted.includes(id)) found.push(snapshot);
  }
  return found;
}

function isActive({ state }: LiveSnapshot): boolean {
  return state.status === 'active' && !isWithheld(state.value);
}

async function deleteOthers(
  services: CommandServices,
  context: CommandContext,
  { representative, deleted }: Cluster,
): Promise<number> {
  const own = partOfDecision(context);
  const until = retentionUntil(services.clock.now());
  let position = 0;
  for (const id of deleted)
    await unlessPassing(async () => {
      await linkMemories(services, own, representative, 'supersedes', id, 1);
      const command = { type: 'delete', retentionUntil: until, because: 'merged' } as const;
      position = Math.max(position, (await changeMemory(services, own, id, command)).position);
    });
  return position;
}

async function restore(
  services: CommandServices,
  context: CommandContext,
  { representative, deleted }: Cluster,
): Promise<void> {
  const own = partOfDecision(context);
  for (const id of deleted) {
    await unlessPassing(() => restoreMemory(services, own, id, undefined));
    await unlessPassing(() => unlinkMemories(services, own, representative, 'supersedes', id));
  }
}

async function unlessPassing(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Problem && passing.includes(error.code))) throw error;
  }
}

/** The changes of the memories are part of the decision: a reviewer may lack the right to make them. */
function partOfDecision({ idempotency: _, ...context }: CommandContext): CommandContext {
  return {
    ...context,
    reason: context.reason ?? 'duplicate',
    caller: { ...context.caller, roles: ['admin'] },
  };
}

function unknownCluster(): Problem {
  return new Problem('not-found', 'no such cluster of duplicates');
}
