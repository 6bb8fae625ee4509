import { expect, it } from 'vitest';
import {
  decideDrawn,
  decideProposal,
  factsOfTurn,
  foldConversation,
} from '../../src/domain/conversations/conversation.ts';
import type { ConversationEvent } from '../../src/domain/conversations/events.ts';
import { compareGenerations, madeOf } from '../../src/domain/conversations/generations.ts';
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

it('compares generations, where a conversation keeps what it has until it is drawn again', () => {
  const drawn = (generation: number, ...ids: string[]): ConversationEvent => ({
    type: 'FactsDrawn',
    data: {
      conversationId,
      ...made,
      generation,
      facts: ids.map((memoryId) => ({
        memoryId,
        turnIds: [],
        outcome: memoryId === 'told' ? 'affirmed' : 'stored',
      })),
    },
  });
  const conversations = [
    folded(recorded, drawn(1, 'a', 'b', 'kept', 'told'), drawn(2, 'a', 'c')),
    folded(recorded, drawn(1, 'kept', 'd')),
    folded(recorded, drawn(2, 'e')),
  ];
  const there = compareGenerations(conversations, 1, 2);
  expect([...there.same].sort()).toEqual(['a', 'd', 'kept']);
  expect([...there.onlyFrom].sort()).toEqual(['b', 'told']);
  expect([...there.onlyTo].sort()).toEqual(['c', 'e']);
  expect([...madeOf(conversations, there.onlyFrom)]).toEqual(['b']);
  const back = compareGenerations(conversations, 2, 1);
  expect([[...back.onlyFrom], [...back.onlyTo].sort()]).toEqual([['c'], ['b', 'd', 'kept', 'told']]);
});
