import { loadVisibleMemory } from '../commands/change-memory.ts';
import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { linkMemories } from '../commands/link-memories.ts';
import type { ConflictFinder } from '../commands/resolve-conflicts.ts';
import { Problem } from '../domain/problems.ts';
import { groupBy } from '../domain/group-by.ts';
import { trustPoliciesOf } from '../domain/spaces/spaces.ts';
import { holdContradictions } from '../domain/trust/policy.ts';
import { isWithheld, unrecordedTrust } from '../domain/trust/trust.ts';
import { flagContradiction } from '../commands/trust/flag-contradiction.ts';
import type { MemoryEvent } from '../domain/memory/events.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { Reactor } from '../follow/reactor.ts';

/**
 * Memories of a tenant that are compared of those that came at once. A comparison is a search, and takes as long as many stores: during
 * an import none are made, except of memories that a contradiction would withhold.
 */
const maxAtOnce = 50;

const passing: readonly string[] = ['not-found', 'memory-deleted', 'awaits-review'];

export interface ConflictParts {
  readonly services: CommandServices;
  readonly finder: Pick<ConflictFinder, 'find'>;
}

/**
 * Looks for the memories that a new one contradicts, after its store was answered, and links them with the confidence of the finding.
 * The link has no direction in time: nothing is marked as superseded that no caller has asked for.
 */
export function conflictReactor(parts: ConflictParts, context: CommandContext): Reactor {
  return {
    name: 'conflicts',
    handles: ['MemoryStored', 'MemoryUpdated'],
    routingOnly: true,
    lingerMs: 500,
    async handle(events, { signal }) {
      const due = (events as readonly LoadedEvent<MemoryEvent>[]).filter(isDue);
      for (const [tenant, ofTenant] of groupBy(due, ({ metadata }) => metadata.tenant)) {
        const isImport = ofTenant.length > maxAtOnce;
        if (isImport && !(await mayWithhold(parts.services, tenant))) continue;
        for (const loaded of ofTenant) {
          signal.throwIfAborted();
          await linkConflicts(parts, context, loaded, isImport).catch((error: unknown) => {
            // Deleted, erased or withheld meanwhile.
            if (error instanceof Problem && passing.includes(error.code)) return;
            throw error;
          });
        }
      }
    },
  };
}

function isDue({ event, metadata }: LoadedEvent<MemoryEvent>): boolean {
  return metadata.seeksConflicts === true && hasNewText(event);
}

function hasNewText(event: MemoryEvent): boolean {
  if (event.type === 'MemoryStored') return event.data.layer !== 'session';
  return event.type === 'MemoryUpdated' && event.data.contentLength !== undefined;
}

/** Whether a policy of the tenant or of one of its spaces withholds what contradicts something more trusted. */
async function mayWithhold({ spaces }: CommandServices, tenant: string): Promise<boolean> {
  const all = await spaces.current(tenant);
  return holdContradictions(trustPoliciesOf(all, [...all.configured.keys()]));
}

async function linkConflicts(
  { services, finder }: ConflictParts,
  context: CommandContext,
  loaded: LoadedEvent<MemoryEvent>,
  isImport: boolean,
): Promise<void> {
  const caused = causedBy(context, loaded);
  // Only memories of one layer and scope are compared: whoever sees one of them sees the other.
  const own = {
    ...caused,
    caller: { ...caused.caller, roles: ['admin'] as const },
    reason: 'they seem to conflict',
  };
  const { snapshot, history } = await loadVisibleMemory(services, own, loaded.event.data.memoryId);
  const { value } = snapshot.state;
  const isLatestText = !history.some(
    ({ event, revision }) => revision > loaded.revision && hasNewText(event),
  );
  if (snapshot.state.status !== 'active' || value.layer === 'session' || !isLatestText) return;
  if (isImport && (value.trust ?? unrecordedTrust).source === 'user') return;
  const stored = { ...value, updatedAt: snapshot.updatedAt.toISOString() };
  const { conflicts } = await finder.find(own.caller, stored, loaded.position, { byWords: true });
  const contradicted = conflicts.filter(({ kind }) => kind !== 'duplicates');
  await flagContradiction(services, own, { value, cause: loaded.metadata.cause }, contradicted);
  if (isWithheld(value)) return;
  for (const { id, confidence } of contradicted)
    await linkMemories(services, own, value.id, 'contradicts', id, confidence);
}
