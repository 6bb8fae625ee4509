import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LexicalIndexUnavailable, type LexicalDocument } from '../../src/ports/lexical-index.ts';
import {
  deletion,
  document,
  entryOf,
  find,
  freshGeneration,
  latestEntries,
  listed,
  put,
  type ContractIndex,
} from '../support/lexical-documents.ts';

const memoryIds = ['a', 'b', 'c', 'd'];

/** A memory at a revision; some are deleted and restored later. */
function versionOf(memoryId: string, revision: number): LexicalDocument {
  const whole = document(`beacon ${memoryId} ${revision}`, { memoryId, revision });
  return revision % 3 === 2 ? deletion(whole, revision) : whole;
}

const version = fc
  .tuple(fc.constantFrom(...memoryIds), fc.nat(8))
  .map(([memoryId, revision]) => versionOf(memoryId, revision));

/** Bulks, some of them sent concurrently. */
const history = fc.array(
  fc.array(fc.array(version, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 5 },
);

/** Results of writing documents in any order and any number of times. */
export function writeContract(contract: ContractIndex): void {
  describe('[G3] a write', () => {
    it('is found completely after a refresh, and not before', async () => {
      const { index } = contract;
      const generation = await freshGeneration(index);
      const documents = Array.from({ length: 300 }, () => document('beacon'));
      expect(await index.write(generation, documents)).toEqual({ written: 300, outdated: 0 });
      // Long enough for an index with automatic refreshes.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(await find(index, generation, 'beacon', 1_000)).toEqual([]);
      await index.refresh(generation);
      expect(await find(index, generation, 'beacon', 1_000)).toHaveLength(300);
      // As another process would.
      await contract.again().write(generation, [document('beacon')]);
      await index.refresh(generation);
      expect(await find(contract.again(), generation, 'beacon', 1_000)).toHaveLength(301);
    });

    it('with a later revision replaces the whole document', async () => {
      const { index } = contract;
      const generation = await freshGeneration(index);
      const one = document('beacon', { layer: 'user', scope: { user: 'alice', project: 'quay' } });
      const next = { ...one, revision: 4, body: 'foghorn', scope: { user: 'alice' } };
      await put(index, generation, one);
      expect(await index.write(generation, [next])).toEqual({ written: 1, outdated: 0 });
      await index.refresh(generation);
      expect(await find(index, generation, 'beacon')).toEqual([]);
      const elsewhere = {
        tenant: 'acme',
        visibility: 'all',
        scope: { user: 'alice', project: 'other' },
      } as const;
      expect(await index.search({ region: elsewhere, text: 'foghorn', limit: 9 }, generation)).toEqual([
        one.memoryId,
      ]);
      expect(await listed(index, generation)).toEqual([entryOf(next)]);
    });

    it('with an earlier revision has no effect; with the same one, it is repeated', async () => {
      const { index } = contract;
      const generation = await freshGeneration(index);
      const one = document('beacon', { revision: 7 });
      await index.write(generation, [one]);
      const older = { ...one, revision: 6, body: 'older' };
      const other = document('neighbour');
      expect(await index.write(generation, [older, other, one])).toEqual({ written: 2, outdated: 1 });
      await index.refresh(generation);
      expect(await find(index, generation, 'older')).toEqual([]);
      expect(await find(index, generation, 'beacon')).toEqual([one.memoryId]);
      expect(await find(index, generation, 'neighbour')).toEqual([other.memoryId]);
    });

    it('of a deletion removes the memory: an earlier revision does not restore it, a later one does', async () => {
      const { index } = contract;
      const generation = await freshGeneration(index);
      const one = document('beacon', { revision: 2 });
      const gone = deletion(one, 5);
      await put(index, generation, one);
      await put(index, generation, gone);
      for (const revision of [0, 2, 4]) await put(index, generation, { ...one, revision });
      expect(await find(index, generation, 'beacon')).toEqual([]);
      expect(await listed(index, generation)).toEqual([entryOf(gone)]);
      // Not even if the deletion comes first, before any document.
      const late = document('beacon', { revision: 1 });
      await put(index, generation, deletion(late, 2));
      await put(index, generation, late);
      expect(await find(index, generation, 'beacon')).toEqual([]);
      await put(index, generation, { ...one, revision: 6 });
      expect(await find(index, generation, 'beacon')).toEqual([one.memoryId]);
    });

    it('keeps the highest revision of each memory, independent of the order of bulks and repetitions', async () => {
      const { index } = contract;
      await fc.assert(
        fc.asyncProperty(history, async (rounds) => {
          const generation = await freshGeneration(index);
          for (const bulks of rounds) await Promise.all(bulks.map((bulk) => index.write(generation, bulk)));
          await index.refresh(generation);
          const wanted = latestEntries(rounds.flat(2));
          expect(await listed(index, generation, 3)).toEqual(wanted);
          const active = wanted.filter(({ deleted }) => !deleted).map(({ memoryId }) => memoryId);
          expect(new Set(await find(index, generation, 'beacon'))).toEqual(new Set(active));
          expect(await index.count(generation)).toEqual({
            active: active.length,
            deleted: wanted.length - active.length,
          });
          await index.dropGeneration(generation);
        }),
        { numRuns: 25 },
      );
    });

    it('may have no documents, thousands of documents, or millions of characters', async () => {
      const { index } = contract;
      const generation = await freshGeneration(index);
      expect(await index.write(generation, [])).toEqual({ written: 0, outdated: 0 });
      const small = Array.from({ length: 2_345 }, (_, n) => document(`beacon ${n}`));
      const large = Array.from({ length: 8 }, (_, n) => document(`${'ä€😀 fog '.repeat(150_000)} horn${n}`));
      const odd = document('x'.repeat(100_000), { scope: { org: 'ö'.repeat(256) } });
      const broken = document('half a pair \ud83d of \u0000 words');
      const all = [...small, ...large, odd, broken];
      expect(await index.write(generation, all)).toEqual({ written: all.length, outdated: 0 });
      await index.refresh(generation);
      expect(await listed(index, generation)).toEqual(latestEntries(all));
      expect(await find(index, generation, 'horn5')).toEqual([large[5]!.memoryId]);
      expect(await find(index, generation, 'half')).toEqual([broken.memoryId]);
    });
  });

  describe('a list', () => {
    it('returns every document once, by tenant and id, as of its start', async () => {
      const { index } = contract;
      const generation = await freshGeneration(index);
      const documents = Array.from({ length: 57 }, (_, n) =>
        document(`text ${n}`, { tenant: ['b', 'a', 'a_2'][n % 3]!, revision: n }),
      );
      await put(index, generation, ...documents);
      const pages: unknown[][] = [];
      for await (const page of index.list(generation, 10)) {
        pages.push(page);
        if (pages.length > 1) continue;
        const changed = documents.map((one) => ({ ...one, revision: 100, body: 'changed' }));
        await put(index, generation, ...changed, document('new'), deletion(documents[9]!, 101));
      }
      expect(pages.map(({ length }) => length)).toEqual([10, 10, 10, 10, 10, 7]);
      expect(pages.flat()).toEqual(latestEntries(documents));
    });

    it('of an empty generation has no page, and can be abandoned early', async () => {
      const { index } = contract;
      const generation = await freshGeneration(index);
      expect(await listed(index, generation)).toEqual([]);
      expect(await index.count(generation)).toEqual({ active: 0, deleted: 0 });
      await put(index, generation, ...Array.from({ length: 5 }, (_, n) => document(`text ${n}`)));
      for await (const page of index.list(generation, 2)) {
        expect(page).toHaveLength(2);
        break;
      }
    });
  });
}

export function expungeContract(contract: ContractIndex): void {
  describe('[F6] an expunge', () => {
    it('removes nothing that is found or listed, and does not block writes', async () => {
      const { index } = contract;
      const generation = await freshGeneration(index);
      const documents = Array.from({ length: 60 }, (_, n) => document(`beacon ${n}`));
      const later = documents.map((one, n) =>
        n % 3 === 0 ? deletion(one, 1) : { ...one, revision: 1, body: `foghorn ${n}` },
      );
      const more = Array.from({ length: 20 }, (_, n) => document(`foghorn of later ${n}`));
      await put(index, generation, ...documents);
      await put(index, generation, ...later);
      const expunged = index.expunge(generation);
      await put(index, generation, ...more);
      await expunged;
      expect(await listed(index, generation)).toEqual(latestEntries([...later, ...more]));
      expect(await find(index, generation, 'beacon')).toEqual([]);
      expect(await find(index, generation, 'foghorn')).toHaveLength(60);
    });

    it('is awaited no longer than its caller wants', async () => {
      const { index } = contract;
      const generation = await freshGeneration(index);
      const one = document('beacon');
      await put(index, generation, one);
      await put(index, generation, deletion(one, 1));
      const ended = AbortSignal.abort();
      await expect(index.expunge(generation, ended)).rejects.toBeInstanceOf(LexicalIndexUnavailable);
      expect(await find(index, generation, 'beacon')).toEqual([]);
    });
  });
}
