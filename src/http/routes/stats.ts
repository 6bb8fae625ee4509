import { z } from 'zod';
import { recordAuditRead } from '../../commands/record-audit-read.ts';
import { layerSchema } from '../../domain/layers.ts';
import { positionToken } from '../../domain/position.ts';
import { readStats } from '../../queries/stats.ts';
import { readWait, waitParameters } from '../parameters.ts';
import { route } from '../route.ts';
import { statsExample } from './examples.ts';

const count = z.int().nonnegative();
const amount = { active: count, deleted: count, characters: count };

const statsSchema = z
  .object({
    tenant: z.string(),
    coverage: z
      .enum(['tenant', 'visible'])
      .meta({ description: 'The whole tenant, or what the caller may see' }),
    total: z.object(amount),
    layers: z.array(z.object({ layer: layerSchema, ...amount })),
    spaces: z.array(z.object({ space: z.string(), ...amount })),
    access: z.object({ total: count, memories: count, lastAt: z.iso.datetime().optional() }),
    feedback: z.object({ total: count }),
    position: z.string(),
  })
  .meta({ id: 'Stats' });

export const statsRoute = route({
  method: 'get',
  path: '/v1/stats',
  operationId: 'stats',
  summary: 'Counts, sizes and use: of the tenant, or of what the caller may see',
  tag: 'Operation',
  query: z.strictObject(waitParameters),
  responses: { 200: { description: 'Figures', schema: statsSchema, example: statsExample } },
  async handle({ caller, context, query }, services) {
    const { store } = services.commands;
    const { position, ...stats } = await readStats(services.models, caller, readWait(store, query));
    const { coverage, total } = stats;
    if (coverage === 'tenant')
      await recordAuditRead(services.commands, context, {
        what: 'figures',
        items: total.active + total.deleted,
      });
    return { status: 200, body: { ...stats, position: positionToken(store.log.logId, position) } };
  },
});
