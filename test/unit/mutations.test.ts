import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutations } from '../mutations/mutations.mjs';

it.each(mutations.map((mutation) => [mutation.name, mutation] as const))(
  '[J1] the deliberate defect "%s" can be applied',
  (_, { file, find, tests }) => {
    expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
    expect(tests.filter((test) => !existsSync(test))).toEqual([]);
  },
);
