import type {
  ConversationEvent,
  Drawn,
  DrawFailure,
  DrawnFact,
  Proposal,
  RecordedConversation,
} from './events.ts';

/** The first generation of facts: those that are drawn when a conversation is recorded. */
export const firstGeneration = 1;

/** A proposal as the log has it. */
export interface Proposed extends Proposal {
  /** Its key was destroyed, so it has no facts any more. */
  readonly erased: boolean;
}

export interface Conversation extends RecordedConversation {
  /** By generation. */
  readonly proposed: ReadonlyMap<number, Proposed>;
  readonly drawn: ReadonlyMap<number, Drawn>;
}

/** Folds the events of a conversation; undefined if there are none. */
export function foldConversation(
  events: readonly { readonly event: ConversationEvent; readonly erased: boolean }[],
): Conversation | undefined {
  let recorded: RecordedConversation | undefined;
  const proposed = new Map<number, Proposed>();
  const drawn = new Map<number, Drawn>();
  for (const { event, erased } of events) {
    if (event.type === 'ConversationRecorded') recorded = event.data;
    else if (event.type === 'FactsProposed') proposed.set(event.data.generation, { ...event.data, erased });
    else drawn.set(event.data.generation, event.data);
  }
  return recorded && { ...recorded, proposed, drawn };
}

/** What is found in a conversation; the first proposal of a generation counts. */
export function decideProposal(conversation: Conversation, proposal: Proposal): ConversationEvent[] {
  const { generation } = proposal;
  if (conversation.proposed.has(generation) || conversation.drawn.has(generation)) return [];
  return [{ type: 'FactsProposed', data: proposal }];
}

/** What became of a proposal; the first word counts. */
export function decideDrawn(
  conversation: Conversation,
  { generation, model, prompt }: Pick<Proposal, 'generation' | 'model' | 'prompt'>,
  outcome: { readonly facts: readonly DrawnFact[]; readonly failure?: DrawFailure },
): ConversationEvent[] {
  if (conversation.drawn.has(generation)) return [];
  const { conversationId } = conversation;
  return [
    {
      type: 'FactsDrawn',
      data: { conversationId, generation, model, prompt, ...outcome, facts: [...outcome.facts] },
    },
  ];
}

/** The memories that were made of this turn, in any generation. */
export function factsOfTurn(conversation: Conversation, turnId: string): string[] {
  const facts = [...conversation.drawn.values()].flatMap((drawn) => drawn.facts);
  const own = facts.filter(({ outcome, turnIds }) => outcome === 'stored' && turnIds.includes(turnId));
  return [...new Set(own.map(({ memoryId }) => memoryId))];
}
