import { expect, it } from 'vitest';
import {
  decideDrawn,
  decideProposal,
  factsOfTurn,
  foldConversation,
} from '../../src/domain/conversations/conversation.ts';
import type { ConversationEvent } from '../../src/domain/conversations/events.ts';
import { originalCaller } from '../../src/domain/conversations/original-caller.ts';
import {
  conversationIdFrom,
  conversationIdOf,
  maxTurns,
  turnIdOf,
} from '../../src/domain/conversations/turn-ids.ts';
import { isMemoryId } from '../../src/domain/streams.ts';

const fresh = '0197c1a2-0000-7000-8000-00000000abcd';
const conversationId = conversationIdFrom(fresh);
const recorded: ConversationEvent = {
  type: 'ConversationRecorded',
  data: { conversationId, turnIds: [turnIdOf(conversationId, 1), turnIdOf(conversationId, 2)] },
};
const made = { generation: 1, model: 'm', prompt: 1 };
const proposal = { conversationId, ...made, dropped: { unsupported: 0, junk: 0 }, facts: [] };
const folded = (...events: ConversationEvent[]) =>
  foldConversation(events.map((event) => ({ event, erased: false })))!;

it('names turns so that their conversation is known', () => {
  const ids = [1, 2, maxTurns].map((turn) => turnIdOf(conversationId, turn));
  expect(new Set([...ids, conversationId]).size).toBe(4);
  expect([...ids].sort()).toEqual(ids);
  for (const id of ids) {
    expect(isMemoryId(id)).toBe(true);
    expect(conversationIdOf(id)).toBe(conversationId);
  }
});

it('takes the first proposal and the first outcome of a generation', () => {
  const [proposed] = decideProposal(folded(recorded), proposal) as [ConversationEvent];
  expect(decideProposal(folded(recorded, proposed), proposal)).toEqual([]);
  const facts = [{ memoryId: 'a', turnIds: ['t'], outcome: 'stored' as const }];
  const [drawn] = decideDrawn(folded(recorded, proposed), made, { facts }) as [ConversationEvent];
  expect(decideDrawn(folded(recorded, drawn), made, { facts: [] })).toEqual([]);
  expect(decideProposal(folded(recorded, drawn), proposal)).toEqual([]);
  expect(decideProposal(folded(recorded, drawn), { ...proposal, generation: 2 })).toHaveLength(1);
  expect(foldConversation([])).toBeUndefined();
});

it('knows the memories that were made of a turn', () => {
  const fact = (memoryId: string, turnId: string, outcome: 'stored' | 'affirmed') => ({
    memoryId,
    turnIds: [turnId],
    outcome,
  });
  const drawn = (generation: number, ...facts: ReturnType<typeof fact>[]): ConversationEvent => ({
    type: 'FactsDrawn',
    data: { conversationId, ...made, generation, facts },
  });
  const conversation = folded(
    recorded,
    drawn(1, fact('a', 't1', 'stored'), fact('b', 't1', 'affirmed'), fact('c', 't2', 'stored')),
    drawn(2, fact('d', 't1', 'stored')),
  );
  expect(factsOfTurn(conversation, 't1')).toEqual(['a', 'd']);
});

it('knows who recorded a conversation, with the rights of its scope alone', () => {
  const roles = ['member'] as const;
  expect(
    originalCaller({ tenant: 't', actor: 'user:mia', principal: 'key:1' }, roles, { team: 'x' }),
  ).toEqual({
    tenant: 't',
    principal: 'key:1',
    roles,
    user: 'mia',
    orgs: [],
    teams: ['x'],
    projects: [],
    sessions: [],
    agents: [],
  });
  const agent = { tenant: 't', actor: 'agent:helper', principal: 'key:2', onBehalfOf: 'mia' };
  expect(originalCaller(agent, ['agent'], {})).toMatchObject({
    user: 'mia',
    agent: 'helper',
    agents: ['helper'],
  });
});
