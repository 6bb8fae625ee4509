import { describe, expect, it } from 'vitest';
import { occurredOrRecorded } from '../../src/domain/build-filter.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { findPool } from '../../src/queries/search/pool.ts';
import type { ReadView } from '../../src/queries/read-models.ts';

/** A read model of memories of a version, and a database that says that two memories are filed as it is asked. */
async function poolIn(version: string) {
  const view: ReadView = {
    table: (projection, table = projection) => `read.${table}_g1`,
    signature: () => version,
    generation: () => 1,
    position: 1,
  };
  const queryAs = () => Promise.resolve([{ counts: [2], documents: 50_000 }]);
  const filter = occurredOrRecorded({ from: '2023-05-07T00:00:00Z', until: '2023-05-08T00:00:00Z' });
  return findPool({ queryAs } as unknown as Sql, view, {
    region: { tenant: 'acme', visibility: 'all' },
    filter,
  });
}

describe('what is filed in the order of its time', () => {
  it('[A8] is a pool', async () => {
    expect(await poolIn('4')).toMatchObject({ size: 2 });
  });

  it('[F4] is not asked of a read model that is not, which serves until it is built anew', async () => {
    expect(await poolIn('3')).toBeUndefined();
  });
});
