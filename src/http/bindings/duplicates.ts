import { listDuplicates, resolveDuplicates } from '../../api/duplicates/duplicates.ts';
import { bind } from '../binding.ts';

export const duplicateBindings = [
  bind(listDuplicates, 'get', '/v1/duplicates', {
    success: { status: 200, description: 'A page of clusters' },
    query: ['space', 'state', 'memory', 'limit', 'cursor', 'minPosition', 'waitMs'],
  }),
  bind(resolveDuplicates, 'post', '/v1/duplicates/:id/resolve', {
    success: { status: 200, description: 'The cluster after the decision' },
  }),
];
