import { createHash } from 'node:crypto';
import { loadVisibleMemory } from '../commands/change-memory.ts';
import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { recordDuplicate, withdrawDuplicate } from '../commands/duplicates/record-duplicates.ts';
import type { TenantContext } from '../domain/access/context.ts';
import type { Resolution } from '../domain/duplicates/events.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import { Problem } from '../domain/problems.ts';
import type { MemoryValue } from '../domain/memory/memory.ts';
import { collectingDuplicates, type Spaces } from '../domain/spaces/spaces.ts';
import { memoryStream } from '../domain/streams.ts';
import { isWithheld } from '../domain/trust/trust.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { inSpaces } from './in-spaces.ts';

interface Found {
  readonly id: string;
  readonly createdAt: string;
  readonly similarity: number;
}

interface OwnCluster {
  readonly id: string;
  readonly representative: string;
  readonly members: readonly { readonly id: string }[];
  readonly resolution: Resolution;
}

interface Within {
  readonly space: string;
  readonly minPosition: number;
  readonly waitMs: number;
}

export interface DuplicateParts {
  readonly services: CommandServices;
  /** An interface, because it is a query and reactors may not import queries. */
  readonly finder: {
    find(
      caller: TenantContext,
      memory: MemoryValue & { readonly updatedAt: string },
      within: Within & { readonly threshold: number },
    ): Promise<readonly Found[]>;
    clustersOf(caller: TenantContext, memory: string, within: Within): Promise<readonly OwnCluster[]>;
  };
  /** How long it waits for read models. */
  readonly waitMs: number;
}

type Due = LoadedEvent<MemoryEvent>;

/** A memory in one space that collects duplicates, while it is compared. */
interface Comparison {
  readonly context: CommandContext;
  readonly memory: MemoryValue & { readonly updatedAt: string; readonly createdAt: string };
  readonly space: string;
  readonly threshold: number;
  /** The event that the comparison is for. */
  readonly loaded: Due;
}

/**
 * Looks for the memories that say the same as a new or changed one, where a space asks for it, and collects them in clusters. Only memories
 * of one layer and scope are compared: whoever sees one of them sees the other.
 */
export function duplicateReactor(parts: DuplicateParts, context: CommandContext): Reactor {
  return {
    name: 'duplicate-clusters',
    handles: ['MemoryStored', 'MemoryUpdated', 'MemoryRestored', 'MemoryReviewed', 'MemoryUnarchived'],
    routingOnly: true,
    lingerMs: 500,
    async handle(events, { signal }) {
      const due = inSpaces(parts.services.spaces, events as readonly Due[]);
      for await (const { loaded, spaces, labels } of due) {
        signal.throwIfAborted();
        if (collectingDuplicates(spaces, labels).length === 0) continue;
        await collect(parts, context, loaded, spaces).catch((error: unknown) => {
          // Deleted, erased or withheld meanwhile.
          if (error instanceof Problem && error.code === 'not-found') return;
          throw error;
        });
      }
    },
  };
}

async function collect(
  parts: DuplicateParts,
  context: CommandContext,
  loaded: Due,
  spaces: Spaces,
): Promise<void> {
  const { services } = parts;
  const caused = causedBy(context, loaded);
  const own = { ...caused, caller: { ...caused.caller, roles: ['admin'] as const } };
  const { snapshot, history } = await loadVisibleMemory(services, own, loaded.event.data.memoryId);
  const { state } = snapshot;
  // A later event of the memory brings it back here.
  const isLast =
    history.at(-1)!.revision === loaded.revision ||
    !history.some((later) => later.revision > loaded.revision && isHandled(later));
  if (state.status !== 'active' || isWithheld(state.value) || !isLast) return;
  const memory = {
    ...state.value,
    createdAt: snapshot.createdAt.toISOString(),
    updatedAt: snapshot.updatedAt.toISOString(),
  };
  for (const { space, threshold } of collectingDuplicates(spaces, memory.spaces))
    await compare(parts, { context: own, memory, space, threshold, loaded });
}

function isHandled({ event }: Due): boolean {
  return ['MemoryUpdated', 'MemoryRestored', 'MemoryReviewed', 'MemoryUnarchived'].includes(event.type);
}

async function compare(parts: DuplicateParts, comparison: Comparison): Promise<void> {
  const { services, finder, waitMs } = parts;
  const { context, memory, space, threshold } = comparison;
  const { caller } = context;
  const head = { space, minPosition: await services.store.log.head(), waitMs };
  const found = await finder.find(caller, memory, { ...head, threshold });
  const clusters = await finder.clustersOf(caller, memory.id, head);
  const apart = await leaveOthers(services, comparison, clusters, new Set(found.map(({ id }) => id)));
  if (apart.isMember) return;
  for (const other of found) {
    if (apart.keptBeside.has(other.id)) continue;
    const open = (await finder.clustersOf(caller, other.id, head)).find(
      ({ resolution }) => resolution === 'manual',
    );
    if (open && open.representative !== other.id) continue;
    // A cluster is hidden while only one of its members is active, so a deletion after the comparison began would begin a second one.
    if (await hasChangedSince(services, caller, memory.id, head.minPosition)) return;
    if (await hasChangedSince(services, caller, other.id, head.minPosition)) continue;
    if (!open) return begin(services, comparison, other);
    await recordDuplicate(services, context, {
      clusterId: open.id,
      space,
      representative: other.id,
      memoryId: memory.id,
      similarity: other.similarity,
    });
    return;
  }
}

/** Whether a memory has events after a position. They bring it back to this reactor, or it is gone. */
async function hasChangedSince(
  { store }: CommandServices,
  { tenant }: TenantContext,
  memoryId: string,
  position: number,
): Promise<boolean> {
  const history = await store.load<MemoryEvent>(memoryStream(tenant, memoryId));
  return history.some((event) => event.position > position);
}

/** Takes apart what the memory does not say any more. */
async function leaveOthers(
  services: CommandServices,
  { context, memory }: Comparison,
  clusters: readonly OwnCluster[],
  same: ReadonlySet<string>,
): Promise<{ readonly isMember: boolean; readonly keptBeside: ReadonlySet<string> }> {
  const keptBeside = new Set<string>();
  let isMember = false;
  for (const { id, representative, members, resolution } of clusters) {
    if (resolution === 'keep_representative') continue;
    const others = members.filter((member) => member.id !== memory.id).map((member) => member.id);
    const compared = representative === memory.id ? others : [representative];
    const isStill = compared.some((other) => same.has(other));
    if (!isStill) await withdrawDuplicate(services, context, id, memory.id);
    else if (resolution === 'keep_all') for (const other of others) keptBeside.add(other);
    else isMember = true;
  }
  return { isMember, keptBeside };
}

/** Begins a cluster with the older of two memories as the representative. */
async function begin(services: CommandServices, comparison: Comparison, other: Found): Promise<void> {
  const { context, memory, space, loaded } = comparison;
  const isOlder =
    other.createdAt < memory.createdAt || (other.createdAt === memory.createdAt && other.id < memory.id);
  const [representative, memoryId] = isOlder ? [other.id, memory.id] : [memory.id, other.id];
  const { similarity } = other;
  const clusterId = clusterIdOf(loaded.id, space);
  await recordDuplicate(services, context, { clusterId, space, representative, memoryId, similarity });
}

/** The same event begins the same cluster, however often it is handled. Has the time of the event, by which clusters are listed. */
function clusterIdOf(eventId: string, space: string): string {
  const hash = createHash('sha256').update(`${eventId} ${space}`).digest('hex');
  return `${eventId.slice(0, 24)}${hash.slice(0, 12)}`;
}
