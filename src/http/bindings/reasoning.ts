import { reasoningHistory } from '../../api/reasoning/history.ts';
import { recordTrace } from '../../api/reasoning/record-trace.ts';
import { listStrategies } from '../../api/reasoning/strategies.ts';
import { configureExperience, experience } from '../../api/admin/experience.ts';
import { experiencedSearch } from '../../api/reasoning/experienced-search.ts';
import { bind } from '../binding.ts';

export const reasoningBindings = [
  bind(experiencedSearch, 'post', '/v1/reasoning/search', {
    success: { status: 200, description: 'The results, and what was chosen by experience' },
  }),
  bind(experience, 'get', '/v1/admin/experience', {
    success: { status: 200, description: 'The settings and the figures' },
    query: ['minPosition', 'waitMs'],
  }),
  bind(configureExperience, 'put', '/v1/admin/experience', {
    success: { status: 200, description: 'The new settings' },
  }),
  bind(recordTrace, 'post', '/v1/reasoning/traces', {
    success: { status: 201, description: 'The trace' },
  }),
  bind(reasoningHistory, 'post', '/v1/reasoning/history', {
    success: { status: 200, description: 'The attempts, best first, and what they teach' },
  }),
  bind(listStrategies, 'get', '/v1/reasoning/strategies', {
    success: { status: 200, description: 'A page of lessons, best first' },
    query: ['limit', 'cursor', 'minPosition', 'waitMs'],
  }),
];
