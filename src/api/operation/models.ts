import { z } from 'zod';
import { priceOf, type PriceList } from '../../domain/ledger/prices.ts';
import type { Embedders } from '../../ports/embedder.ts';
import { namedModels } from '../../domain/spaces/space-models.ts';
import { operation } from '../operation.ts';

/** A language model that the server is configured with. */
export interface ConfiguredModel {
  readonly id: string;
  /** Host of its endpoint. */
  readonly provider: string;
}

const modelSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['embedding', 'language']),
    provider: z.string().meta({ description: 'Host of its endpoint, or `local` for a model of this server' }),
    dimensions: z.int().positive().optional(),
    usdPerMillionTokens: z
      .object({ input: z.number(), output: z.number() })
      .optional()
      .meta({ description: 'Absent if the price is not known, or if it costs nothing' }),
    local: z.boolean().meta({ description: 'Whether it runs in this server, so that no text leaves it' }),
    inUse: z.boolean().meta({ description: 'Whether it works for the tenant now' }),
  })
  .meta({ id: 'Model' });

type Model = z.output<typeof modelSchema>;

export const models = operation({
  name: 'models',
  summary: 'List the embedding models and language models of the server',
  area: 'Operation',
  input: z.strictObject({}),
  output: z.object({ items: z.array(modelSchema) }),
  examples: {
    input: {},
    output: {
      items: [
        {
          id: 'text-embedding-3-small',
          kind: 'embedding',
          provider: 'api.openai.com',
          dimensions: 1536,
          usdPerMillionTokens: { input: 0.02, output: 0 },
          local: false,
          inUse: true,
        },
      ],
    },
  },
  access: 'every-caller',
  async handle({ caller, services: { commands, embedders, languageModels, prices } }) {
    const named = namedModels(await commands.spaces.of(caller.tenant));
    const used = new Set(named.map(({ model }) => embedders.find(model)?.id));
    used.add(embedders.preferred.id);
    const items = [
      ...embeddingModels(embedders, prices, used),
      ...languageModels.map((each) => languageModel(each, prices)),
    ];
    return { output: { items } };
  },
});

function embeddingModels(
  { models: registered }: Embedders,
  prices: PriceList,
  used: ReadonlySet<string | undefined>,
): Model[] {
  return registered.map(({ id, name, dimension, endpointModel, endpoint }) => ({
    id: name,
    kind: 'embedding' as const,
    provider: endpoint === undefined ? 'local' : hostOf(endpoint),
    dimensions: dimension,
    ...(endpointModel !== undefined && priced(prices, endpointModel)),
    local: endpointModel === undefined,
    inUse: used.has(id),
  }));
}

function languageModel({ id, provider }: ConfiguredModel, prices: PriceList): Model {
  return { id, kind: 'language', provider, ...priced(prices, id), local: false, inUse: true };
}

function priced(prices: PriceList, model: string): Pick<Model, 'usdPerMillionTokens'> {
  const price = priceOf(prices, model);
  return price ? { usdPerMillionTokens: price } : {};
}

function hostOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).host : endpoint;
}
