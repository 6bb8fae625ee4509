import { scopesAgree } from '../domain/layers.ts';
import type { MemoryValue } from '../domain/memory/memory.ts';
import {
  decideReference,
  foldReferences,
  type ReferenceEvent,
  type ReferenceRole,
  type References,
} from '../domain/links/reference-events.ts';
import { identitiesOf, referencesIn, type ReferenceKey } from '../domain/links/references.ts';
import { Problem } from '../domain/problems.ts';
import { referenceStream } from '../domain/streams.ts';
import { loadVisibleMemory } from './change-memory.ts';
import { changeStream } from './change-stream.ts';
import type { CommandContext, CommandServices } from './context.ts';
import { linkMemories, unlinkMemories } from './link-memories.ts';

/** What a memory cites, and what it is for others that cite it. */
type Mentions = Readonly<Record<ReferenceRole, readonly ReferenceKey[]>>;

const noMentions: Mentions = { cites: [], is: [] };

/** The other memory cannot be linked now. */
const passing: readonly string[] = ['not-found', 'memory-deleted', 'memory-archived', 'awaits-review'];

/**
 * Links a memory to the memories that its text refers to, and links those that refer to it. `before` is the memory before the change:
 * links for references that it no longer has are removed. Undefined for a new memory.
 */
export async function trackCitations(
  services: CommandServices,
  context: CommandContext,
  memory: MemoryValue,
  before: MemoryValue | undefined,
): Promise<void> {
  const own = mentionsOf(memory);
  const lost = without(before ? mentionsOf(before) : noMentions, own);
  for (const [role, key] of pairs(lost)) {
    const { is, cites } = await setReference(services, context, { key, memory, role, holds: false });
    for (const other of role === 'cites' ? is : cites)
      await ignoringGone(() => unlink(services, context, role, memory.id, other));
  }
  for (const [role, key] of pairs(own)) {
    const { is, cites } = await setReference(services, context, { key, memory, role, holds: true });
    for (const other of role === 'cites' ? is : cites)
      if (other !== memory.id) await ignoringGone(() => link(services, context, role, memory, other));
  }
}

function mentionsOf({ content, externalId, metadata }: MemoryValue): Mentions {
  const is = identitiesOf({ externalId, metadata });
  return { cites: referencesIn(content).filter((key) => !is.includes(key)), is };
}

function without(before: Mentions, now: Mentions): Mentions {
  const lost = (role: ReferenceRole) => before[role].filter((key) => !now[role].includes(key));
  return { cites: lost('cites'), is: lost('is') };
}

function pairs({ cites, is }: Mentions): [ReferenceRole, ReferenceKey][] {
  return [
    ...is.map((key): [ReferenceRole, ReferenceKey] => ['is', key]),
    ...cites.map((key): [ReferenceRole, ReferenceKey] => ['cites', key]),
  ];
}

interface Change {
  readonly key: ReferenceKey;
  readonly memory: MemoryValue;
  readonly role: ReferenceRole;
  readonly holds: boolean;
}

/** Records whether the memory has a role for a reference; returns all that have one. */
async function setReference(
  services: CommandServices,
  context: CommandContext,
  { key, memory: { id: memoryId }, role, holds }: Change,
): Promise<References> {
  const { tenant } = context.caller;
  const { history } = await changeStream<ReferenceEvent>(services, context, {
    stream: referenceStream(tenant, services.vault.pseudonym('reference', tenant, key)),
    memoryId,
    decide: (loaded) => decideReference(referencesAfter(loaded), { memoryId, role }, holds),
  });
  return referencesAfter(history);
}

function referencesAfter(loaded: readonly { readonly event: ReferenceEvent }[]): References {
  return foldReferences(loaded.map(({ event }) => event));
}

async function link(
  services: CommandServices,
  context: CommandContext,
  role: ReferenceRole,
  memory: MemoryValue,
  other: string,
): Promise<void> {
  const { snapshot } = await loadVisibleMemory(services, context, other);
  if (snapshot.state.status !== 'active' || !scopesAgree(memory.scope, snapshot.state.value.scope)) return;
  const [source, target] = role === 'cites' ? [memory.id, other] : [other, memory.id];
  const reason = { ...context, reason: 'its text refers to it' };
  await linkMemories(services, reason, source, 'cites', target, 1);
}

async function unlink(
  services: CommandServices,
  context: CommandContext,
  role: ReferenceRole,
  memoryId: string,
  other: string,
): Promise<void> {
  const [source, target] = role === 'cites' ? [memoryId, other] : [other, memoryId];
  await unlinkMemories(services, context, source, 'cites', target);
}

async function ignoringGone(change: () => Promise<void>): Promise<void> {
  await change().catch((error: unknown) => {
    if (!(error instanceof Problem && passing.includes(error.code))) throw error;
  });
}
