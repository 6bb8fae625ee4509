import { causedBy, type CommandContext } from '../commands/context.ts';
import {
  forgetProposal,
  livingTurns,
  proposeFacts,
  readConversation,
  recordDrawn,
  tellProposed,
} from '../commands/conversations/draw-facts.ts';
import type { TellingParts } from '../commands/conversations/tell-fact.ts';
import { readGenerations } from '../commands/conversations/generations.ts';
import type { Conversation } from '../domain/conversations/conversation.ts';
import type { ConversationEvent } from '../domain/conversations/events.ts';
import { promptVersion } from '../domain/conversations/facts/prompt.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { FactWriter } from './fact-writer.ts';

export interface FactReactorParts extends TellingParts {
  readonly writer: FactWriter;
  /** Whether a tenant lets language models see its texts. */
  readonly isAllowed: (tenant: string) => Promise<boolean>;
}

export type Recorded = LoadedEvent<Extract<ConversationEvent, { type: 'ConversationRecorded' }>>;

/** Conversations that language models read at once. */
const atOnce = 8;

/**
 * Draws facts from conversations. First a language model reads them, several at once, and what it finds is recorded; then the facts are told
 * one after another in the order of the log, because each is decided against those before it. A process that is killed repeats no call
 * whose answer is recorded, and no fact.
 */
export function factReactor(parts: FactReactorParts, context: CommandContext): Reactor {
  return {
    name: 'fact-extraction',
    handles: ['ConversationRecorded'],
    routingOnly: true,
    async handle(events, { signal }) {
      const due = (events as readonly Recorded[]).filter(({ event }) => event.data.extract?.pending);
      for (let from = 0; from < due.length; from += atOnce) {
        const some = due.slice(from, from + atOnce);
        // All have ended before one of them fails the others: what they cost is recorded.
        const read = await Promise.allSettled(some.map((loaded) => readLive(parts, context, loaded, signal)));
        const failed = read.find((each) => each.status === 'rejected');
        if (failed) throw failed.reason;
        for (const [index, each] of read.entries()) {
          signal.throwIfAborted();
          if (each.status === 'fulfilled') {
            const loaded = some[index]!;
            await tellFacts(parts, causedBy(context, loaded), loaded, {
              generation: each.value,
              isLive: true,
            });
          }
        }
      }
    },
  };
}

/** Which facts are drawn, and by which model if not by the usual one. */
export interface WantedFacts {
  readonly generation: number;
  readonly model: string | undefined;
}

/** Returns the generation that was live: what is found is told as that, also if another one is live by then. */
async function readLive(
  parts: FactReactorParts,
  context: CommandContext,
  loaded: Recorded,
  signal: AbortSignal,
): Promise<number> {
  const own = causedBy(context, loaded);
  const { live, models } = await readGenerations(parts.services, own.caller.tenant);
  await readFacts(parts, own, loaded, { generation: live, model: models.get(live) }, signal);
  return live;
}

/** Records what a language model finds in a conversation, unless that is recorded. */
export async function readFacts(
  { services, writer, isAllowed }: FactReactorParts,
  own: CommandContext,
  loaded: Recorded,
  { generation, model }: WantedFacts,
  signal: AbortSignal,
): Promise<void> {
  const { tenant } = own.caller;
  const conversation = await readConversation(services, tenant, loaded.event.data.conversationId);
  if (!conversation?.extract || isRead(conversation, generation)) return;
  const turns = await livingTurns(services, tenant, conversation.turnIds);
  const labels = turns.map(({ value }) => value.spaces);
  const job = { layer: conversation.extract.layer, turns, labels, model };
  if (!(await isAllowed(tenant))) {
    const made = { generation, model: await writer.modelFor(tenant, job), prompt: promptVersion };
    return recordDrawn(services, own, conversation, made, { facts: [], failure: 'not-allowed' });
  }
  const writing = await writer.write(own, job, signal);
  const { conversationId } = conversation;
  const made = { conversationId, generation, model: writing.model, prompt: promptVersion };
  if ('failure' in writing)
    return recordDrawn(services, own, conversation, made, { facts: [], failure: writing.failure });
  const facts = writing.facts.map(({ text, turnIds }) => ({ text, turnIds: [...turnIds] }));
  await proposeFacts(services, own, conversation, { ...made, dropped: writing.dropped, facts });
}

function isRead({ proposed, drawn }: Conversation, generation: number): boolean {
  return proposed.has(generation) || drawn.has(generation);
}

/** Tells what was found in a conversation, unless that was done. */
export async function tellFacts(
  parts: FactReactorParts,
  own: CommandContext,
  loaded: Recorded,
  { generation, isLive }: { readonly generation: number; readonly isLive: boolean },
): Promise<void> {
  const { services } = parts;
  const conversation = await readConversation(services, own.caller.tenant, loaded.event.data.conversationId);
  const proposed = conversation?.proposed.get(generation);
  if (!conversation || !proposed) return;
  // A process that was killed may have left the key.
  if (conversation.drawn.has(generation)) return forgetProposal(services, own, conversation, generation);
  const upTo = loaded.position;
  await tellProposed(parts, own, loaded.metadata, conversation, proposed, { upTo, isLive });
}
