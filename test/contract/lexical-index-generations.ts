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

/** Concurrent generations, and switching from one to the other and back. */
export function generationContract(contract: ContractIndex): void {
  describe('a generation', () => {
    it('does not serve by itself', async () => {
      const generation = await freshGeneration(contract.index);
      await put(contract.index, generation, document('lighthouse'));
      expect(await contract.index.serving()).toBeUndefined();
      expect(await find(contract.index, generation, 'lighthouse')).toHaveLength(1);
    });

    it('created again keeps its documents', async () => {
      const generation = await freshGeneration(contract.index);
      const one = document('lighthouse');
      await put(contract.index, generation, one);
      await Promise.all([
        contract.index.createGeneration(generation),
        contract.again().createGeneration(generation),
      ]);
      expect(await listed(contract.index, generation)).toEqual([entryOf(one)]);
    });

    it('is listed until it is dropped; dropping twice is allowed', async () => {
      const generation = await freshGeneration(contract.index);
      expect(await contract.index.generations()).toContain(generation);
      await contract.index.dropGeneration(generation);
      await contract.index.dropGeneration(generation);
      expect(await contract.index.generations()).not.toContain(generation);
    });

    it('that does not exist is reported, and a late write does not create it', async () => {
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

    it('has a restricted name', async () => {
      for (const name of ['', '*', 'A', 'a.b', 'a,b', '../a', '_all', 'a'.repeat(101)])
        await expect(contract.index.createGeneration(name)).rejects.toThrow(RangeError);
    });
  });

  describe('[F4] the switch to another generation', () => {
    it('and back takes one call each', async () => {
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
      // The old one is still written to, so that it is current when switching back.
      await put(index, old, { ...before, revision: 1, body: 'lighthouse keeper' });
      expect(await find(index, old, 'keeper')).toEqual([before.memoryId]);
      await index.serve(old);
      expect([await index.serving(), await served()]).toEqual([old, [before.memoryId]]);
      await index.dropGeneration(next);
      expect([await index.serving(), await served()]).toEqual([old, [before.memoryId]]);
    });

    it('that does not exist keeps the serving one', async () => {
      const { index } = contract;
      const generation = await freshGeneration(index);
      await index.serve(generation);
      await expect(index.serve('never-made')).rejects.toBeInstanceOf(NoSuchGeneration);
      expect(await index.serving()).toBe(generation);
    });
  });
}
