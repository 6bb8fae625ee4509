import { openPglite } from '../../src/adapters/pglite/open.ts';
import { leasesContract } from './leases.ts';

leasesContract('PGlite', async () => {
  const sql = await openPglite();
  return { sql, close: () => sql.close() };
});
