import { reasoningHistory } from '../../api/reasoning/history.ts';
import { recordTrace } from '../../api/reasoning/record-trace.ts';
import { listStrategies } from '../../api/reasoning/strategies.ts';
import { bind } from '../binding.ts';

export const reasoningBindings = [
  bind(recordTrace, 'post', '/v1/reasoning/traces', {
    success: { status: 201, description: 'The trace' },
  }),
  bind(reasoningHistory, 'post', '/v1/reasoning/history', {
    success: { status: 200, description: 'The attempts, best first, and what they teach' },
  }),
  bind(listStrategies, 'get', '/v1/reasoning/strategies', {
    success: { status: 200, description: 'The lessons, best first' },
    query: ['limit', 'minPosition', 'waitMs'],
  }),
];
