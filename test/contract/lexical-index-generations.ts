import { describe, expect, it } from 'vitest';
import { NoSuchGeneration } from '../../src/ports/lexical-index.ts';
import {
  document,
  entryOf,
  find,
  freshGeneration,
  listed,
  put,
  type ContractIndex,
} from '../support/lexical-documents.ts';

/** Builds side by side, the switch from one to the other and back. */
export function generationContract(contract: ContractIndex): void {
  describe('a generation', () => {
    it('does not serve by itself', async () => {
      const generation = await freshGeneration(contract.index);
      await put(contract.index, generation, document('lighthouse'));
      expect(await contract.index.serving()).toBeUndefined();
      expect(await find(contract.index, generation, 'lighthouse')).toHaveLength(1);
    });

    it('made again keeps what it has', async () => {
      const generation = await freshGeneration(contract.index);
      const one = document('lighthouse');
      await put(contract.index, generation, one);
      await Promise.all([
        contract.index.createGeneration(generation),
        contract.again().createGeneration(generation),
      ]);
      expect(await listed(contract.index, generation)).toEqual([entryOf(one)]);
    });

    it('is listed until it is dropped, which may happen twice', async () => {
      const generation = await freshGeneration(contract.index);
      expect(await contract.index.generations()).toContain(generation);
      await contract.index.dropGeneration(generation);
      await contract.index.dropGeneration(generation);
      expect(await contract.index.generations()).not.toContain(generation);
    });

    it('that is missing is told so, and a late write does not make it', async () => {
      const missing = await freshGeneration(contract.index);
      await contract.index.dropGeneration(missing);
      for (const use of [
        () => contract.index.write(missing, [document('too late')]),
        () => contract.index.refresh(missing),
        () => find(contract.index, missing, 'late'),
        () => contract.index.count(missing),
        () => listed(contract.index, missing),
        () => contract.index.serve(missing),
        () => contract.index.expunge(missing),
      ])
        await expect(use()).rejects.toBeInstanceOf(NoSuchGeneration);
      expect(await contract.index.generations()).not.toContain(missing);
    });

    it('has a plain name', async () => {
      for (const name of ['', '*', 'A', 'a.b', 'a,b', '../a', '_all', 'a'.repeat(101)])
        await expect(contract.index.createGeneration(name)).rejects.toThrow(RangeError);
    });
  });

  describe('[F4] the switch to another generation', () => {
    it('and the way back take one call each', async () => {
      const { index } = contract;
      const [old, next] = [await freshGeneration(index), await freshGeneration(index)];
      const [before, after] = [document('lighthouse'), document('lighthouse')];
      await put(index, old, before);
      await put(index, next, after);
      const served = async () => find(index, (await index.serving())!, 'lighthouse');

      await index.serve(old);
      expect([await index.serving(), await served()]).toEqual([old, [before.memoryId]]);
      await index.serve(next);
      expect([await index.serving(), await served()]).toEqual([next, [after.memoryId]]);
      // The old one is written on meanwhile, so that the way back leads to a fresh one.
      await put(index, old, { ...before, revision: 1, body: 'lighthouse keeper' });
      expect(await find(index, old, 'keeper')).toEqual([before.memoryId]);
      await index.serve(old);
      expect([await index.serving(), await served()]).toEqual([old, [before.memoryId]]);
      await index.dropGeneration(next);
      expect([await index.serving(), await served()]).toEqual([old, [before.memoryId]]);
    });

    it('that is missing leaves the one that serves', async () => {
      const { index } = contract;
      const generation = await freshGeneration(index);
      await index.serve(generation);
      await expect(index.serve('never-made')).rejects.toBeInstanceOf(NoSuchGeneration);
      expect(await index.serving()).toBe(generation);
    });
  });
}
