import { describe } from 'vitest';
import { DoubleServers } from '../support/double-servers.ts';
import { kurrentClientWithoutServer, kurrentServerContract } from './kurrentdb-server.ts';

const real = process.env['STRATALOG_EVENTSTORE_URL'];

kurrentServerContract('the double', async () => {
  const servers = new DoubleServers();
  const { connectionString } = await servers.start();
  return { connectionString, close: () => servers.dispose() };
});
kurrentClientWithoutServer();

if (real) {
  kurrentServerContract('the real server', () =>
    Promise.resolve({ connectionString: real, close: () => Promise.resolve() }),
  );
} else describe.skip('[G1] the real server: STRATALOG_EVENTSTORE_URL is not set', () => {});
