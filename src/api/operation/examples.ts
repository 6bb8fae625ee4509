import { at, position } from '../example-values.ts';

/** One input and one output of each operation of this area, as documentation shows them. */

const amount = { active: 12, deleted: 1, characters: 8_412 };

export const statsExample = {
  tenant: 'acme',
  coverage: 'tenant',
  total: amount,
  layers: [{ layer: 'team', ...amount }],
  spaces: [{ space: 'dev_copilot', ...amount }],
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
  position,
};
