import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LexicalIndexUnavailable } from '../../src/ports/lexical-index.ts';
import {
  document,
  freshGeneration,
  wholeTenant,
  type ContractIndex,
  type IndexUnderTest,
} from '../support/lexical-documents.ts';
import { generationContract } from './lexical-index-generations.ts';
import { regionContract } from './lexical-index-regions.ts';
import { searchContract } from './lexical-index-search.ts';
import { expungeContract, writeContract } from './lexical-index-write.ts';

/**
 * Contract of every `LexicalIndex`. `open` returns an empty index. `expunges` says whether to test expunging too, for which
 * OpenSearch needs half a minute.
 */
export function lexicalIndexContract(
  name: string,
  open: () => Promise<IndexUnderTest>,
  { expunges = true } = {},
): void {
  describe(`${name} as LexicalIndex`, () => {
    let opened: IndexUnderTest;

    beforeAll(async () => {
      opened = await open();
    });

    afterAll(() => opened?.close());

    const contract: ContractIndex = {
      get index() {
        return opened.index;
      },
      again: () => opened.again(),
    };
    // First, while no generation serves.
    generationContract(contract);
    searchContract(contract);
    regionContract(contract);
    writeContract(contract);
    if (expunges) expungeContract(contract);

    it('reports product, version and health of its server', async () => {
      const { distribution, version, status } = await contract.index.health();
      expect(distribution).toMatch(/^[a-z]+$/);
      expect(version).toMatch(/^\d+\.\d+\.\d+/);
      expect(['green', 'yellow']).toContain(status);
    });

    it('answers pending requests on close, and is unavailable afterwards', async () => {
      const generation = await freshGeneration(contract.index);
      const other = contract.again();
      const last = other.write(generation, [document('the last word')]);
      await Promise.all([other.close(), other.close()]);
      expect(await last).toEqual({ written: 1, outdated: 0 });
      for (const use of [
        () => other.createGeneration('late'),
        () => other.dropGeneration(generation),
        () => other.generations(),
        () => other.serve(generation),
        () => other.serving(),
        () => other.write(generation, [document('too late')]),
        () => other.refresh(generation),
        () => other.search({ region: wholeTenant(), text: 'word', limit: 1 }, generation),
        () => other.count(generation),
        () => other.list(generation)[Symbol.asyncIterator]().next(),
        () => other.expunge(generation),
        () => other.health(),
      ])
        await expect(use()).rejects.toBeInstanceOf(LexicalIndexUnavailable);
    });
  });
}
