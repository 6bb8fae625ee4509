import { listSummaries, scopeParameters } from '../../api/summaries/list-summaries.ts';
import { refreshSummary } from '../../api/summaries/refresh-summary.ts';
import { bind } from '../binding.ts';

export const summaryBindings = [
  bind(listSummaries, 'get', '/v1/summaries', {
    success: { status: 200, description: 'The summaries, and how fresh they are' },
    query: ['layer', ...scopeParameters, 'depth', 'minPosition', 'waitMs'],
  }),
  bind(refreshSummary, 'post', '/v1/summaries/refresh', {
    success: { status: 202, description: 'The summaries will be generated; read them with GET' },
  }),
];
