import { scopeParameters } from '../../api/scope-parameters.ts';
import { listSummaries } from '../../api/summaries/list-summaries.ts';
import { configureSummaries } from '../../api/summaries/configure-summaries.ts';
import { refreshSummary } from '../../api/summaries/refresh-summary.ts';
import { summarySettings } from '../../api/summaries/summary-settings.ts';
import { bind } from '../binding.ts';

export const summaryBindings = [
  bind(listSummaries, 'get', '/v1/summaries', {
    success: { status: 200, description: 'The summaries, and how fresh they are' },
    query: [
      'layer',
      ...scopeParameters,
      'depth',
      'user',
      'session',
      'query',
      'asOf',
      'minPosition',
      'waitMs',
    ],
  }),
  bind(refreshSummary, 'post', '/v1/summaries/refresh', {
    success: { status: 202, description: 'The summaries will be generated; read them with GET' },
  }),
  bind(summarySettings, 'get', '/v1/admin/summaries/:layer', {
    success: { status: 200, description: 'The settings' },
    query: ['minPosition', 'waitMs'],
  }),
  bind(configureSummaries, 'put', '/v1/admin/summaries/:layer', {
    success: { status: 200, description: 'The new settings' },
  }),
];
