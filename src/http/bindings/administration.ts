import { budgets } from '../../api/budgets/budgets.ts';
import { configureBudget } from '../../api/budgets/configure-budget.ts';
import { configureLimits } from '../../api/admin/configure-limits.ts';
import { configureRouting } from '../../api/admin/configure-routing.ts';
import { contentRouting, putContentRouting } from '../../api/admin/content-routing.ts';
import { createKey } from '../../api/admin/create-key.ts';
import { killSwitch } from '../../api/admin/kill-switch.ts';
import { limits } from '../../api/admin/limits.ts';
import { listKeys } from '../../api/admin/list-keys.ts';
import { listProjections } from '../../api/admin/list-projections.ts';
import { rebuildProjection } from '../../api/admin/rebuild-projection.ts';
import { retryParkedStream } from '../../api/admin/retry-parked-stream.ts';
import { revokeKey } from '../../api/admin/revoke-key.ts';
import { routing } from '../../api/admin/routing.ts';
import { skipParkedEvent } from '../../api/admin/skip-parked-event.ts';
import { rollbackProjection, switchProjection } from '../../api/admin/switch-projection.ts';
import { eraseSubject } from '../../api/erasures/erase-subject.ts';
import { eraseTenant } from '../../api/erasures/erase-tenant.ts';
import { getErasure } from '../../api/erasures/get-erasure.ts';
import { evaluatePolicy } from '../../api/policies/evaluate-policy.ts';
import { policies } from '../../api/policies/list-policies.ts';
import { promotePolicy } from '../../api/policies/promote-policy.ts';
import { rollBackPolicy } from '../../api/policies/roll-back-policy.ts';
import { trainPolicy } from '../../api/policies/train-policy.ts';
import { bind } from '../binding.ts';

const wait = ['minPosition', 'waitMs'];
const etag = ({ revision }: { readonly revision: number }) => ({ etag: `"${revision}"` });

export const administrationBindings = [
  bind(eraseSubject, 'post', '/v1/subjects/:id/erase', {
    success: { status: 202, description: 'Nothing about the person can be read any more; the rest follows' },
    headers: ({ receipt }) => ({ location: `/v1/erasures/${receipt}` }),
  }),
  bind(eraseTenant, 'post', '/v1/admin/tenants/:id/erase', {
    success: { status: 202, description: 'Nothing of the tenant can be read any more; the rest follows' },
    headers: ({ receipt }) => ({ location: `/v1/erasures/${receipt}` }),
  }),
  bind(getErasure, 'get', '/v1/erasures/:id', {
    success: { status: 200, description: 'The receipt' },
    query: wait,
  }),
  bind(createKey, 'post', '/v1/admin/keys', {
    success: { status: 201, description: 'The key; it is shown only once' },
  }),
  bind(listKeys, 'get', '/v1/admin/keys', {
    success: { status: 200, description: 'A page of keys' },
    query: ['limit', 'cursor', ...wait],
  }),
  bind(revokeKey, 'delete', '/v1/admin/keys/:id', { success: { status: 200, description: 'Revoked' } }),
  bind(listProjections, 'get', '/v1/admin/projections', {
    success: { status: 200, description: 'All projections' },
    query: wait,
  }),
  bind(rebuildProjection, 'post', '/v1/admin/projections/:name/rebuild', {
    success: { status: 202, description: 'The rebuild has started; follow its progress with GET' },
    bodyOptional: true,
    headers: () => ({ location: '/v1/admin/projections' }),
  }),
  bind(switchProjection, 'post', '/v1/admin/projections/:name/switch', {
    success: { status: 202, description: 'Queries were switched' },
    bodyOptional: true,
  }),
  bind(rollbackProjection, 'post', '/v1/admin/projections/:name/rollback', {
    success: { status: 202, description: 'The rebuild was cancelled, or queries were switched back' },
    bodyOptional: true,
  }),
  bind(retryParkedStream, 'post', '/v1/admin/projections/:name/retry', {
    success: { status: 202, description: 'The stream was retried' },
  }),
  bind(skipParkedEvent, 'post', '/v1/admin/projections/:name/skip', {
    success: { status: 202, description: 'The event was skipped, and the rest of the stream was applied' },
  }),
  bind(routing, 'get', '/v1/admin/routing', {
    success: { status: 200, description: 'The settings, and the switches that override them' },
    query: wait,
  }),
  bind(configureRouting, 'patch', '/v1/admin/routing', {
    success: { status: 200, description: 'The new settings' },
  }),
  bind(contentRouting, 'get', '/v1/admin/content-routing', {
    success: { status: 200, description: 'The rules in force' },
    query: wait,
    headers: etag,
  }),
  bind(putContentRouting, 'put', '/v1/admin/content-routing', {
    success: { status: 200, description: 'The new rules' },
    headers: etag,
  }),
  bind(limits, 'get', '/v1/admin/limits', {
    success: { status: 200, description: 'The limits; none where nothing is set' },
    query: wait,
  }),
  bind(configureLimits, 'put', '/v1/admin/limits', {
    success: { status: 200, description: 'The new limits' },
  }),
  bind(budgets, 'get', '/v1/admin/budgets', {
    success: { status: 200, description: 'The budget, and what was spent' },
    query: wait,
  }),
  bind(configureBudget, 'put', '/v1/admin/budgets', {
    success: { status: 200, description: 'The new budget, and what was spent' },
  }),
  bind(policies, 'get', '/v1/admin/policies', {
    success: { status: 200, description: 'The versions' },
    query: ['asOf', ...wait],
  }),
  bind(evaluatePolicy, 'get', '/v1/admin/policies/:version/evaluation', {
    success: { status: 200, description: 'The figures' },
  }),
  bind(promotePolicy, 'post', '/v1/admin/policies/:version/promote', {
    success: { status: 200, description: 'The version in force' },
    bodyOptional: true,
  }),
  bind(rollBackPolicy, 'post', '/v1/admin/policies/:version/rollback', {
    success: { status: 200, description: 'The version in force' },
    bodyOptional: true,
  }),
  bind(trainPolicy, 'post', '/v1/admin/policies/train', {
    success: { status: 200, description: 'What was learned' },
    bodyOptional: true,
  }),
  bind(killSwitch, 'post', '/v1/admin/policies/kill-switch', {
    success: { status: 200, description: 'The state of the kill switch' },
    bodyOptional: true,
  }),
];
