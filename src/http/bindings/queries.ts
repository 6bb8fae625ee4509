import { auditEvents } from '../../api/audit/audit-events.ts';
import { keepCosignature } from '../../api/audit/keep-cosignature.ts';
import { proveEvent } from '../../api/audit/prove-event.ts';
import { auditCheckpoint, auditHeads } from '../../api/audit/signed-heads.ts';
import { verifyLog } from '../../api/audit/verify-log.ts';
import { auditSearch } from '../../api/audit/audit-search.ts';
import { replayAuditedSearch } from '../../api/audit/replay-search.ts';
import { whatIf } from '../../api/audit/what-if.ts';
import { buildContext } from '../../api/context/build-context.ts';
import { whoami } from '../../api/identity/whoami.ts';
import { models } from '../../api/operation/models.ts';
import { stats } from '../../api/operation/stats.ts';
import { multiHop } from '../../api/search/multi-hop.ts';
import { explainSearch } from '../../api/search/explain.ts';
import { search } from '../../api/search/search.ts';
import { scopeParameters } from '../../api/scope-parameters.ts';
import { bind } from '../binding.ts';

const noteType = 'text/plain; charset=utf-8';
const wait = ['minPosition', 'waitMs'];
const eventFilters = [
  'stream',
  'memory',
  'actor',
  'type',
  'layer',
  ...scopeParameters,
  'space',
  'outcome',
  'from',
  'to',
];

export const queryBindings = [
  bind(search, 'post', '/v1/search', {
    success: { status: 200, description: 'Results in the requested order' },
  }),
  bind(explainSearch, 'post', '/v1/search/explain', {
    success: { status: 200, description: 'The explanation, with the results and what was left out' },
  }),
  bind(buildContext, 'post', '/v1/context', {
    success: { status: 200, description: 'The text, and its items in the order of their marks' },
  }),
  bind(multiHop, 'post', '/v1/reasoning/multi-hop', {
    success: {
      status: 200,
      description: 'Results, most relevant first, with the path to each in the same order',
    },
  }),
  bind(stats, 'get', '/v1/stats', {
    success: { status: 200, description: 'The figures' },
    query: ['asOf', ...wait],
  }),
  bind(whoami, 'get', '/v1/whoami', { success: { status: 200, description: 'The caller' } }),
  bind(models, 'get', '/v1/models', { success: { status: 200, description: 'The models' } }),
  bind(auditEvents, 'get', '/v1/audit/events', {
    success: {
      status: 200,
      description:
        'A page of events; as NDJSON with `Accept: application/x-ndjson`, `format=stream` or `follow=true`, as CSV with `Accept: text/csv` or `format=csv`',
    },
    query: [...eventFilters, 'after', 'order', 'follow', 'limit', 'cursor', 'format', ...wait],
    commas: ['type', 'layer', 'outcome'],
    negotiated: { field: 'format', json: 'page', ndjson: 'stream', csv: 'csv' },
    // Read little ahead: a batch that was read is sent even if the credential is revoked meanwhile, and it may be large.
    readAhead: { highWaterMark: 1 },
  }),
  bind(auditCheckpoint, 'get', '/v1/audit/checkpoint', {
    success: { status: 200, description: 'The signed note', contentType: noteType },
    headers: () => ({ 'content-type': noteType }),
  }),
  bind(auditHeads, 'get', '/v1/audit/heads', {
    success: { status: 200, description: 'The heads' },
    query: ['limit', 'cursor'],
  }),
  bind(keepCosignature, 'post', '/v1/audit/cosignatures', {
    success: { status: 201, description: 'The signature is in the log' },
  }),
  bind(proveEvent, 'get', '/v1/audit/events/:position/proof', {
    success: { status: 200, description: 'The proof; its `extra` line is the leaf', contentType: noteType },
    headers: () => ({ 'content-type': noteType }),
  }),
  bind(verifyLog, 'post', '/v1/audit/verify', {
    success: { status: 202, description: 'The report' },
    bodyOptional: true,
  }),
  bind(auditSearch, 'get', '/v1/audit/searches/:searchId', {
    success: { status: 200, description: 'The search' },
    query: wait,
  }),
  bind(replayAuditedSearch, 'post', '/v1/audit/searches/:searchId/replay', {
    success: { status: 200, description: 'Both answers and their differences' },
    bodyOptional: true,
  }),
  bind(whatIf, 'post', '/v1/audit/what-if', {
    success: { status: 200, description: 'What would be different' },
  }),
];
