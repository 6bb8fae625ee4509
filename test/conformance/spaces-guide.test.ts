import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { clientWithKey, freshTenant } from '../support/api.ts';
import { shellAs } from '../support/cli.ts';
import { useSharedServer } from '../support/use-server.ts';

const shared = useSharedServer('deterministic');

it('[H1] [H6] [A19] the guide to spaces has commands that run as they stand there', async () => {
  const text = await readFile('docs/guides/spaces.md', 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code!);
  const admin = await clientWithKey(shared, { tenant: freshTenant(), role: 'admin', user: 'root' });
  const script = ['set -e', ...blocks.map((code) => code.replaceAll('npx stratalog', 'stratalog'))].join(
    '\n',
  );
  const { code, stdout, stderr } = await shellAs(shared, admin, script);
  expect([code, stderr], stdout).toEqual([0, '']);
  expect(stdout).toMatch(/a retention of 30 days deletes 0 memories/);
  expect(stdout).toContain('is archived');
  expect(stdout).toMatch(/memories: 2 active, 0 archived/);
  expect(stdout).toContain('its memories lose the label now');
});
