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
  position,
};
