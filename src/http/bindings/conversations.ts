import { facts, rebuildFacts, rollbackFacts, switchToFacts } from '../../api/conversations/generations.ts';
import { recordConversation } from '../../api/conversations/record-conversation.ts';
import { bind } from '../binding.ts';

export const conversationBindings = [
  bind(recordConversation, 'post', '/v1/conversations', {
    success: { status: 202, description: 'The turns are stored; facts follow' },
  }),
];

export const factBindings = [
  bind(facts, 'get', '/v1/admin/facts', {
    success: { status: 200, description: 'The generations, and how two of them differ' },
  }),
  bind(rebuildFacts, 'post', '/v1/admin/facts/rebuild', {
    success: { status: 202, description: 'The facts are drawn in the background' },
    bodyOptional: true,
  }),
  bind(switchToFacts, 'post', '/v1/admin/facts/switch', {
    success: { status: 202, description: 'Memories are archived and unarchived in the background' },
    bodyOptional: true,
  }),
  bind(rollbackFacts, 'post', '/v1/admin/facts/rollback', {
    success: { status: 202, description: 'Memories are archived and unarchived in the background' },
    bodyOptional: true,
  }),
];
