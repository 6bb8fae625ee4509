import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { roles } from '../../src/domain/access/context.ts';
import type { Region } from '../../src/domain/access/region.ts';
import { visible } from '../../src/domain/access/visibility.ts';
import { layers, scopeKeys } from '../../src/domain/layers.ts';
import type { ActiveDocument } from '../../src/ports/lexical-index.ts';
import { anyCaller } from '../support/callers.ts';
import {
  document,
  freshGeneration,
  isInRegion,
  put,
  wholeTenant,
  type ContractIndex,
} from '../support/lexical-documents.ts';

const tenants = ['acme', 'other', 'acme_2'] as const;
const name = fc.constantFrom('a', 'b', 'A', '*', 'a b');
const scope = fc.record(Object.fromEntries(scopeKeys.map((key) => [key, name])), { requiredKeys: [] });

const placed: fc.Arbitrary<ActiveDocument> = fc
  .record({ tenant: fc.constantFrom(...tenants), layer: fc.constantFrom(...layers), scope })
  .map((place) => document('beacon', place));

// Mostly callers who may not see everything.
const anyRoles = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(['member' as const], ['reader' as const]) },
  { weight: 1, arbitrary: fc.uniqueArray(fc.constantFrom(...roles), { maxLength: 2 }) },
);
const context = anyCaller(fc.constantFrom(...tenants), anyRoles, name);

const region: fc.Arbitrary<Region> = fc
  .tuple(
    context,
    fc.record({ layers: fc.uniqueArray(fc.constantFrom(...layers)), scope }, { requiredKeys: [] }),
  )
  .map(([caller, narrowed]) => ({ tenant: caller.tenant, visibility: visible(caller), ...narrowed }));

/** Searches find only what their caller may see and requests. */
export function regionContract(contract: ContractIndex): void {
  describe('[I3] a search finds exactly the memories of its region', () => {
    const documents = fc.sample(placed, { numRuns: 600, seed: 20 });
    let generation: string;

    beforeAll(async () => {
      generation = await freshGeneration(contract.index);
      await put(contract.index, generation, ...documents);
    });

    const found = async (where: Region): Promise<Set<string>> =>
      new Set(await contract.index.search({ region: where, text: 'beacon', limit: 10_000 }, generation));
    const idsOf = (wanted: readonly ActiveDocument[]) => new Set(wanted.map(({ memoryId }) => memoryId));

    it.each(tenants)(
      'everything of tenant %s for who sees all, and nothing of the others',
      async (tenant) => {
        const own = documents.filter((one) => one.tenant === tenant);
        expect(own.length).toBeGreaterThan(100);
        expect(await found(wholeTenant(tenant))).toEqual(idsOf(own));
      },
    );

    it('nothing for a tenant without memories, and for a caller who may see nothing', async () => {
      expect(await found(wholeTenant('nobody'))).toEqual(new Set());
      expect(await found({ tenant: 'acme', visibility: [] })).toEqual(new Set());
      expect(await found({ ...wholeTenant(), layers: [] })).toEqual(new Set());
      expect(
        await found({ tenant: 'acme', visibility: [{ layer: 'team', key: 'team', values: [] }] }),
      ).toEqual(new Set());
    });

    it('for any caller and any restriction of the search', async () => {
      let [some, none] = [0, 0];
      await fc.assert(
        fc.asyncProperty(region, async (where) => {
          const wanted = documents.filter((one) => isInRegion(where, one));
          if (wanted.length > 0) some++;
          else none++;
          expect(await found(where)).toEqual(idsOf(wanted));
        }),
        { numRuns: 200 },
      );
      // Otherwise nothing was tested.
      expect(some).toBeGreaterThan(50);
      expect(none).toBeGreaterThan(10);
    });

    it('and treats equal ids of different tenants as different memories', async () => {
      const { index } = contract;
      const twins = await freshGeneration(index);
      const own = document('beacon', { revision: 3 });
      const foreign = { ...own, tenant: 'other', revision: 9, body: 'foghorn' };
      await put(index, twins, own, foreign);
      await put(index, twins, { ...foreign, revision: 10, body: 'foghorn again' });
      const search = (tenant: string, text: string) =>
        index.search({ region: wholeTenant(tenant), text, limit: 10 }, twins);
      expect(await search('acme', 'beacon')).toEqual([own.memoryId]);
      expect(await search('acme', 'foghorn')).toEqual([]);
      expect(await search('other', 'foghorn')).toEqual([own.memoryId]);
    });
  });
}
