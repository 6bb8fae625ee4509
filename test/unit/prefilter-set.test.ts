import { describe, expect, it } from 'vitest';
import { occurredOrCreated } from '../../src/domain/build-filter.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { findPrefilterSet } from '../../src/queries/search/sources/prefilter-set.ts';
import type { ReadView } from '../../src/queries/read-models.ts';

/** The prefilter set of a period, with a memories read model of this version and a database that counts two memories under every key. */
async function prefilterSetIn(version: string) {
  const view: ReadView = {
    table: (projection, table = projection) => `read.${table}_g1`,
    signature: () => version,
    generation: () => 1,
    position: 1,
    standsStill: false,
  };
  const queryAs = () => Promise.resolve([{ counts: [2], documents: 50_000 }]);
  const filter = occurredOrCreated({ from: '2023-05-07T00:00:00Z', until: '2023-05-08T00:00:00Z' });
  return findPrefilterSet({ queryAs } as unknown as Sql, view, {
    region: { tenant: 'acme', visibility: 'all' },
    filter,
  });
}

describe('memories that are filed by their time', () => {
  it('[A8] make a prefilter set', async () => {
    expect(await prefilterSetIn('4')).toMatchObject({ size: 2 });
  });

  it('[F4] make none in a read model of an earlier version, which serves until it is rebuilt', async () => {
    expect(await prefilterSetIn('3')).toBeUndefined();
  });
});
