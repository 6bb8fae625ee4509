import { z } from 'zod';
import { layerSchema } from '../../domain/layers.ts';
import { costPurposes } from '../../domain/ledger/events.ts';
import { timeAt } from '../../queries/past.ts';
import { readStats } from '../../queries/stats.ts';
import { asOfField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import type { Services } from '../services.ts';
import { at, position } from '../example-values.ts';

const exampleAmount = { active: 12, archived: 2, deleted: 1, characters: 8_412, bytes: 8_530 };

const statsExample = {
  tenant: 'acme',
  coverage: 'tenant',
  total: exampleAmount,
  layers: [{ layer: 'team', ...exampleAmount }],
  spaces: [{ space: 'dev_copilot', ...exampleAmount }],
  access: { total: 40, memories: 9, lastAt: at },
  feedback: { total: 2 },
  costs: {
    month: '2026-11',
    models: [
      {
        purpose: 'summary',
        model: 'gpt-4.1-mini',
        requests: 12,
        inputTokens: 31_400,
        outputTokens: 6_200,
        usd: 0.02248,
        priced: true,
      },
    ],
  },
  bulkStores: 'open',
  position,
};

const count = z.int().nonnegative();
const amount = { active: count, archived: count, deleted: count, characters: count, bytes: count };

const costsSchema = z
  .object({
    month: z.string().meta({ description: 'Month of UTC, such as 2026-11' }),
    models: z.array(
      z.object({
        purpose: z.enum(costPurposes),
        model: z.string(),
        requests: count,
        inputTokens: count,
        outputTokens: count,
        usd: z.number().nonnegative(),
        priced: z
          .boolean()
          .meta({ description: 'Whether the price of the model is known; if not, `usd` is 0' }),
      }),
    ),
  })
  .meta({ id: 'Costs' });

const statsSchema = z
  .object({
    tenant: z.string(),
    coverage: z
      .enum(['tenant', 'visible'])
      .meta({ description: 'Whether the figures cover the whole tenant or only what the caller can see' }),
    total: z.object(amount),
    layers: z.array(z.object({ layer: layerSchema, ...amount })),
    spaces: z
      .array(z.object({ space: z.string(), ...amount }))
      .meta({ description: 'Empty for an operator, who sees no names of spaces' }),
    access: z.object({ total: count, memories: count, lastAt: z.iso.datetime().optional() }),
    feedback: z.object({ total: count }),
    costs: costsSchema.optional().meta({
      description: 'What models have cost the tenant this month. Only for figures of the whole tenant',
    }),
    bulkStores: z.enum(['open', 'held-back']).optional().meta({
      description:
        'Whether bulk stores are taken more slowly, because the vectors lag. Absent for figures of the past',
    }),
    position: z.string(),
  })
  .meta({ id: 'Stats' });

export const stats = operation({
  name: 'stats',
  summary: 'Show the number, size and use of memories, for the whole tenant or for what the caller can see',
  area: 'Operation',
  input: z.strictObject({ asOf: asOfField, ...waitFields }),
  output: statsSchema,
  examples: { input: {}, output: statsExample },
  access: 'every-caller',
  reads: 'read-models',
  awaitsOwn: ['memories', 'statistics'],
  cost: () => 0.5,
  shape: ({ asOf }) => (asOf === undefined ? undefined : 'past'),
  audit: { what: 'figures', when: 'always' },
  async handle({ caller, services, asOf, wait, token }) {
    const { position, ...figures } = await (asOf === undefined
      ? readStats(services.models, caller, wait)
      : services.past.at({ tenant: caller.tenant, position: asOf, waitMs: wait.waitMs }, ({ models }) =>
          readStats(models, caller, {}),
        ));
    const { coverage, total } = figures;
    const isWhole = coverage === 'tenant';
    const bulkStores = asOf === undefined ? await services.bulkPace.state() : undefined;
    const costs = isWhole ? await costsOf(services, caller.tenant, asOf) : undefined;
    return {
      output: {
        ...figures,
        ...(costs && { costs }),
        ...(bulkStores && { bulkStores }),
        position: token(position),
      },
      // Figures of what the caller may see anyway are not audited.
      ...(isWhole && { read: { items: total.active + total.archived + total.deleted } }),
    };
  },
});

async function costsOf(
  { ledger, commands: { store } }: Services,
  tenant: string,
  asOf: number | undefined,
): Promise<z.infer<typeof costsSchema>> {
  const { month, models } = await (asOf === undefined
    ? ledger.state(tenant)
    : ledger.costsAt(tenant, await timeAt(store.log, asOf), asOf));
  return { month, models: [...models] };
}
