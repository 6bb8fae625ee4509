import type { Conversation } from '../../domain/conversations/conversation.ts';
import type { ConversationEvent } from '../../domain/conversations/events.ts';
import {
  decideRebuild,
  decideRollback,
  decideSwitch,
  foldGenerations,
  type FactGenerations,
  type GenerationEvent,
} from '../../domain/conversations/generations.ts';
import { factGenerationsStream } from '../../domain/streams.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandResult, CommandServices } from '../context.ts';
import { readConversation } from './draw-facts.ts';

export interface GenerationsResult extends CommandResult {
  readonly generations: FactGenerations;
}

export type RecordedEvent = LoadedEvent<Extract<ConversationEvent, { type: 'ConversationRecorded' }>>;

const pageSize = 500;

export async function readGenerations({ store }: CommandServices, tenant: string): Promise<FactGenerations> {
  const loaded = await store.load<GenerationEvent>(factGenerationsStream(tenant));
  return foldGenerations(loaded.map(({ event }) => event));
}

/** The conversations of a tenant from which facts are wanted, as they were recorded, up to a position. */
export async function* recordedConversations(
  { store }: CommandServices,
  tenant: string,
  upTo: number,
): AsyncGenerator<RecordedEvent> {
  let after = 0;
  while (after < upTo) {
    const page = await store.readAll({
      after,
      limit: pageSize,
      filter: { types: ['ConversationRecorded'] },
      routingOnly: true,
    });
    for (const loaded of page.events as readonly RecordedEvent[])
      if (loaded.position <= upTo && loaded.metadata.tenant === tenant && loaded.event.data.extract)
        yield loaded;
    if (page.scannedTo <= after) return;
    after = page.scannedTo;
  }
}

/** The same as they are now. */
export async function readConversations(
  services: CommandServices,
  tenant: string,
  upTo: number,
): Promise<Conversation[]> {
  const found: Conversation[] = [];
  for await (const { event } of recordedConversations(services, tenant, upTo)) {
    const conversation = await readConversation(services, tenant, event.data.conversationId);
    if (conversation) found.push(conversation);
  }
  return found;
}

/** Has the facts of all conversations drawn again, beside the live ones. */
export function requestRebuild(
  services: CommandServices,
  context: CommandContext,
  model: string | undefined,
): Promise<GenerationsResult> {
  return changeGenerations(services, context, (now) => decideRebuild(now, model));
}

/** Makes the newest facts live. Throws `rebuild-not-ready` if there are none, or not of every conversation. */
export function switchFacts(services: CommandServices, context: CommandContext): Promise<GenerationsResult> {
  return changeGenerations(services, context, async (now, requestedAt) => {
    const conversations = await readConversations(services, context.caller.tenant, requestedAt);
    return decideSwitch(
      now,
      conversations.every(({ drawn }) => drawn.has(now.newest)),
    );
  });
}

/** Makes the facts live that were so before the last switch. */
export function rollBackFacts(
  services: CommandServices,
  context: CommandContext,
): Promise<GenerationsResult> {
  return changeGenerations(services, context, decideRollback);
}

async function changeGenerations(
  services: CommandServices,
  context: CommandContext,
  decide: (now: FactGenerations, requestedAt: number) => GenerationEvent[] | Promise<GenerationEvent[]>,
): Promise<GenerationsResult> {
  const { history, position, replayed } = await changeStream<GenerationEvent>(services, context, {
    stream: factGenerationsStream(context.caller.tenant),
    memoryId: '',
    decide: (loaded) => {
      const requested = loaded.findLast(({ event }) => event.type === 'FactsRebuildRequested');
      return decide(foldGenerations(loaded.map(({ event }) => event)), requested?.position ?? 0);
    },
  });
  return { generations: foldGenerations(history.map(({ event }) => event)), position, replayed };
}
