import { expect, it } from 'vitest';
import { startServer } from '../support/server.ts';
import { newTenant } from '../support/tenant.ts';
import { install, tryOut } from './schemathesis/run.mjs';

/** `npm run contract` has more cases, with other seeds, and keys of all roles. */
it('[J2] schemathesis finds no answer that the OpenAPI document does not hold for', async () => {
  install();
  const server = await startServer({
    environment: { STRATALOG_PROFILE: 'embedded', STRATALOG_EMBEDDER: 'deterministic' },
  });
  try {
    const { admin } = await newTenant(server);
    const bounds = { seed: 1, phases: 'examples,coverage,fuzzing', examples: 2 };
    const { status, output } = await tryOut(server.url, admin.key, bounds);
    expect(status, output).toBe(0);
  } finally {
    await server.remove();
  }
}, 600_000);
