import { expect, it } from 'vitest';
import { choosingSeed, groupCount } from '../support/long-files.mjs';
import { startServer } from '../support/server.ts';
import { newTenant } from '../support/tenant.ts';
import { install, tryOut } from './schemathesis/run.mjs';

/** The operations that this run tries: in the gate a ninth of them, which its seed chooses, otherwise all. */
async function chosenOperations(url: string): Promise<string[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const ids = Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ operationId }) => operationId ?? [])
    .filter((id) => id !== 'revokeKey' && id !== 'eraseTenant');
  const seed = choosingSeed();
  return seed === undefined ? ids : ids.filter((_, index) => index % groupCount === seed % groupCount);
}

/** `npm run contract` has more cases, with other seeds, and keys of all roles. */
it('[J2] schemathesis finds no answer that the OpenAPI document does not hold for', async () => {
  install();
  const server = await startServer({
    environment: { STRATALOG_PROFILE: 'embedded', STRATALOG_EMBEDDER: 'deterministic' },
  });
  try {
    const { admin } = await newTenant(server);
    const operations = await chosenOperations(server.url);
    expect(operations).not.toEqual([]);
    const bounds = { seed: 1, phases: 'examples,coverage,fuzzing', examples: 2, operations };
    const { status, output } = await tryOut(server.url, admin.key, bounds);
    expect(status, output).toBe(0);
  } finally {
    await server.remove();
  }
}, 600_000);
