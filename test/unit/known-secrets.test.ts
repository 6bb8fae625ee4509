import { performance } from 'node:perf_hooks';
import { secretLintProfiler } from '@secretlint/profiler';
import { expect, it } from 'vitest';
import { findKnownSecrets } from '../../src/support/known-secrets.ts';

const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

it('[H7] finds the token of a known service', async () => {
  expect(await findKnownSecrets(`The token is ${token}.`)).toEqual([{ start: 13, end: 13 + token.length }]);
});

it('[H7] keeps nothing of the texts that were searched', async () => {
  await findKnownSecrets(token);
  const before = performance.getEntries().length;
  for (let n = 0; n < 20; n++) await findKnownSecrets(`${token} ${n}`);
  expect(performance.getEntries()).toHaveLength(before);
  expect(await secretLintProfiler.getEntries()).toHaveLength(0);
});
