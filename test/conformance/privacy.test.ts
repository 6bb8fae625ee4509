import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { clientOf } from '../support/api.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({
  because: 'looks for a file named after the process',
  masterKey: 'privacy-master-key',
});

it('[I5] the model library sends no telemetry to its vendor', async () => {
  const admin = clientOf(server, server.masterKey);
  const { body } = await admin.post('/v1/admin/keys', { tenant: 'quiet', role: 'admin' });
  const { position } = await clientOf(server, body.key).store({
    content: 'nobody else is told',
    layer: 'company',
  });
  const found = await clientOf(server, body.key).post('/v1/search', {
    query: 'told',
    threshold: 0,
    minPosition: position,
    waitMs: 20_000,
  });
  expect(found.body.results).toHaveLength(1);
  // The library opens this file as soon as it starts reporting.
  expect(existsSync(path.join(tmpdir(), `mat-debug-${server.process.pid}.log`))).toBe(false);
});
