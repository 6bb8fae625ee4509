import { beforeEach, describe, expect, it } from 'vitest';
import type { SqlExecutor } from '../../src/ports/sql.ts';
import { TenantSizes } from '../../src/projections/vectors/tenant-sizes.ts';

const limit = 1_000;
let rows: number;
let counts: number;
let sizes: TenantSizes;

/** A table of one tenant that returns its number of rows. */
const table = {
  query: (_: string, [tenants, most]: [string[], number]) => {
    counts++;
    return Promise.resolve(tenants.map((tenant) => ({ tenant, size: Math.min(rows, most) })));
  },
} as unknown as SqlExecutor;

beforeEach(() => {
  rows = 0;
  counts = 0;
  sizes = new TenantSizes('a table', limit);
});

/** Writes rows one by one, like single stores. Returns for each whether the tenant was reported as above the limit. */
async function write(count: number): Promise<boolean[]> {
  const above: boolean[] = [];
  for (let n = 0; n < count; n++) {
    above.push((await sizes.above(table, [{ tenant: 'acme' }])).has('acme'));
    rows++;
  }
  return above;
}

describe('sizes of tenants', () => {
  it('are accurate to a hundredth of the limit', async () => {
    const above = await write(limit + limit / 50);
    expect(above.slice(0, limit)).not.toContain(true);
    expect(above.at(-1)).toBe(true);
  });

  it('are counted rarely, even near the limit', async () => {
    await write(2 * limit);
    expect(counts).toBeLessThan(10);
  });

  it('are counted rarely while rows are replaced at the limit', async () => {
    rows = limit;
    for (let n = 0; n < limit; n++) await sizes.above(table, [{ tenant: 'acme' }]);
    expect(counts).toBeLessThanOrEqual(1 + 100);
  });

  it('follow the writes of other processes', async () => {
    await write(1);
    rows = 3 * limit;
    expect(await write(limit + 1)).toContain(true);
  });
});
