import { z } from 'zod';
import { eraseTenantInput, requestTenantErasure } from '../../commands/erasure/request-erasure.ts';
import { positionField } from '../fields.ts';
import { operation } from '../operation.ts';
import { eraseTenantExample, requestedExample } from './examples.ts';
import { tenantErasers } from './roles.ts';

export const eraseTenant = operation({
  name: 'eraseTenant',
  summary: 'Erase everything of a tenant, and revoke its API keys; with the master key',
  area: 'Administration',
  input: z.strictObject({ id: z.string().max(63), ...eraseTenantInput.shape }),
  output: z.object({
    receipt: z.string().meta({
      description: 'Id of the receipt: `GET /v1/erasures/{id}`, with the master key',
    }),
    position: positionField,
  }),
  examples: { input: eraseTenantExample, output: requestedExample },
  access: tenantErasers,
  command: { scope: ({ id }) => ['POST', `/v1/admin/tenants/${id}/erase`], arguments: eraseTenantInput },
  async handle({ context, input: { id, reason, ...input }, services, token }) {
    const { commands, facts, directory } = services;
    await facts.flush();
    const { erasureId, position, replayed } = await requestTenantErasure(
      commands,
      { ...context, reason },
      id,
      input,
    );
    await directory.refresh(id);
    return { output: { receipt: erasureId, position: token(position) }, replayed };
  },
});
