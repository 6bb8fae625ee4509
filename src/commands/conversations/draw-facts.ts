import {
  decideDrawn,
  decideProposal,
  foldConversation,
  type Conversation,
  type Proposed,
} from '../../domain/conversations/conversation.ts';
import type {
  ConversationEvent,
  DrawFailure,
  DrawnFact,
  Proposal,
} from '../../domain/conversations/events.ts';
import type { SaidTurn } from '../../domain/conversations/facts/prompt.ts';
import { originalCaller, type Origin } from '../../domain/conversations/original-caller.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import type { MemoryValue } from '../../domain/memory/memory.ts';
import { foldMemory } from '../../domain/memory/snapshot.ts';
import { conversationStream, memoryStream } from '../../domain/streams.ts';
import { isBelow, isWithheld, unrecordedTrust, type TrustSource } from '../../domain/trust/trust.ts';
import { KeyDestroyed, type KeyRef } from '../../ports/key-vault.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import type { StoreMemoryInput } from '../store-memory.ts';
import { keepBeside } from './keep-beside.ts';
import { tellFact, type TellingParts } from './tell-fact.ts';

/** A turn as it is now: neither deleted nor erased, and nobody has to review it. */
export interface LivingTurn extends SaidTurn {
  readonly value: MemoryValue;
}

/** The conversation with this id; undefined if there is none. */
export async function readConversation(
  { store }: CommandServices,
  tenant: string,
  conversationId: string,
): Promise<Conversation | undefined> {
  return foldConversation(await store.load<ConversationEvent>(conversationStream(tenant, conversationId)));
}

/** The turns of a conversation from which facts may be drawn, in their order. */
export async function livingTurns(
  { store }: CommandServices,
  tenant: string,
  turnIds: readonly string[],
): Promise<LivingTurn[]> {
  const turns: LivingTurn[] = [];
  for (const id of turnIds) {
    const { state, createdAt } = foldMemory(await store.load<MemoryEvent>(memoryStream(tenant, id)));
    if (state.status !== 'active' || isWithheld(state.value)) continue;
    const { role, name } = state.value.metadata;
    turns.push({
      id,
      role: typeof role === 'string' ? role : 'user',
      name: typeof name === 'string' ? name : undefined,
      content: state.value.content,
      at: state.value.occurredAt ?? createdAt.toISOString(),
      value: state.value,
    });
  }
  return turns;
}

/** A memory that is neither deleted nor erased. */
export async function livingMemory(
  { store }: CommandServices,
  tenant: string,
  memoryId: string,
): Promise<MemoryValue | undefined> {
  const { state } = foldMemory(await store.load<MemoryEvent>(memoryStream(tenant, memoryId)));
  return state.status === 'active' || state.status === 'archived' ? state.value : undefined;
}

/** Records what a model has found, sealed with a key of its own. Repeated, it changes nothing. */
export async function proposeFacts(
  services: CommandServices,
  context: CommandContext,
  conversation: Conversation,
  proposal: Proposal,
): Promise<void> {
  const key = proposalKey(services, context.caller.tenant, conversation, proposal.generation);
  await changeConversation(services, context, conversation, (now) => decideProposal(now, proposal), key);
}

/** Records what became of a conversation, and destroys what was proposed. */
export async function recordDrawn(
  services: CommandServices,
  context: CommandContext,
  conversation: Conversation,
  proposal: Pick<Proposal, 'generation' | 'model' | 'prompt'>,
  outcome: { readonly facts: readonly DrawnFact[]; readonly failure?: DrawFailure },
): Promise<void> {
  await changeConversation(services, context, conversation, (now) => decideDrawn(now, proposal, outcome));
  await forgetProposal(services, context, conversation, proposal.generation);
}

/** Destroys the key of a proposal whose facts are drawn: nothing needs it any more. */
export async function forgetProposal(
  services: CommandServices,
  { caller: { tenant } }: CommandContext,
  conversation: Conversation,
  generation: number,
): Promise<void> {
  await services.vault.destroy(tenant, proposalKey(services, tenant, conversation, generation).id);
}

/**
 * Tells what was proposed in the name of the caller who recorded the conversation, or keeps it beside what is live, then records it as
 * drawn. Each fact is a command of its own that can be repeated. Returns the position of the last one.
 */
export async function tellProposed(
  parts: TellingParts,
  context: CommandContext,
  origin: Origin,
  conversation: Conversation,
  proposed: Proposed,
  { upTo, isLive }: { readonly upTo: number; readonly isLive: boolean },
): Promise<number> {
  const { services } = parts;
  const { tenant } = context.caller;
  if (proposed.erased) {
    await recordDrawn(services, context, conversation, proposed, { facts: [], failure: 'erased' });
    return upTo;
  }
  const turns = await livingTurns(services, tenant, conversation.turnIds);
  const facts: DrawnFact[] = [];
  let reached = upTo;
  for (const [index, { text, turnIds }] of proposed.facts.entries()) {
    const fact = factOf(conversation, turns, text, turnIds);
    if (!fact) continue;
    const own = factContext(services, context, origin, conversation, proposed, index);
    if (isLive) {
      const { memoryId, outcome, position } = await tellFact(parts, own, fact, { turnIds, upTo: reached });
      reached = Math.max(reached, position);
      facts.push({ memoryId, turnIds, outcome });
    } else {
      const { generation } = proposed;
      facts.push({ turnIds, ...(await keepBeside(services, own, fact, { generation, turnIds })) });
    }
  }
  await recordDrawn(services, context, conversation, proposed, { facts });
  return reached;
}

/** The context of a fact: its place in the proposal is its identity. */
export function factContext(
  { vault }: CommandServices,
  { correlationId, causationId, caller: { tenant } }: CommandContext,
  origin: Origin,
  { conversationId, extract }: Conversation,
  { generation, model }: Pick<Proposal, 'generation' | 'model'>,
  index: number,
): CommandContext {
  const commandId = vault.pseudonym('drawn-fact', tenant, `${conversationId} ${generation} ${index}`);
  const { roles = [], scope = {} } = extract ?? {};
  return {
    caller: originalCaller(origin, roles, scope),
    cause: 'llm',
    reason: `drawn from a conversation by ${model}`,
    correlationId,
    ...(causationId !== undefined && { causationId }),
    idempotency: { commandId, bodyHash: commandId, plainBodyHash: commandId },
  };
}

/** The memory that a fact becomes; undefined if one of its turns is gone, since its words may be those of that turn. */
export function factOf(
  { extract }: Conversation,
  turns: readonly LivingTurn[],
  text: string,
  turnIds: readonly string[],
): StoreMemoryInput | undefined {
  const sources = turns.filter(({ id }) => turnIds.includes(id));
  const last = sources.at(-1);
  if (!extract || !last || sources.length < turnIds.length) return undefined;
  const { role: _, name: __, ...metadata } = last.value.metadata;
  const { expiresAt } = last.value;
  return {
    content: text,
    layer: extract.layer,
    scope: extract.scope,
    spaces: [...last.value.spaces],
    metadata,
    tags: [],
    representations: {},
    // When it was said, not when a model has read it.
    occurredAt: last.at,
    duplicates: 'affirm',
    onConflict: 'supersede',
    trust: { source: leastTrusted(sources) },
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** A fact is trusted no more than what a model writes, and no more than any of its turns. */
function leastTrusted(turns: readonly LivingTurn[]): TrustSource {
  return turns.reduce<TrustSource>((least, { value: { trust = unrecordedTrust } }) => {
    return isBelow(trust.source, least) ? trust.source : least;
  }, 'agent');
}

function proposalKey(
  { vault }: CommandServices,
  tenant: string,
  { conversationId, extract }: Conversation,
  generation: number,
): KeyRef {
  const subject = vault.pseudonym('subject', tenant, extract?.scope.user ?? tenant);
  return { tenant, id: `facts.${conversationId}.${generation}`, subject };
}

async function changeConversation(
  services: CommandServices,
  context: CommandContext,
  { conversationId }: Conversation,
  decide: (now: Conversation) => ConversationEvent[],
  key?: KeyRef,
): Promise<void> {
  try {
    await changeStream<ConversationEvent>(services, context, {
      stream: conversationStream(context.caller.tenant, conversationId),
      memoryId: '',
      decide: (loaded) => {
        const now = foldConversation(loaded);
        return now ? decide(now) : [];
      },
      ...(key && { key: () => key }),
    });
  } catch (error) {
    // The person was erased: the turns are gone, and nothing is found in them.
    if (!(error instanceof KeyDestroyed)) throw error;
  }
}
