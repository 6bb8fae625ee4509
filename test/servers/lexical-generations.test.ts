import { describe, expect, it } from 'vitest';
import { LexicalIndexUnavailable } from '../../src/ports/lexical-index.ts';
import { dropGeneration } from '../../src/projections/drop-generation.ts';
import { createBeside, ensureLive } from '../../src/projections/generations.ts';
import { storeTestMemory } from '../support/event-store.ts';
import { findTerms, listed } from '../support/lexical-documents.ts';
import { useLexicalStore } from '../support/lexical-store.ts';

const url = process.env['STRATALOG_OPENSEARCH_URL'];

describe.skipIf(!url)('[G3] a generation of the lexical read model on OpenSearch', () => {
  const test = useLexicalStore(url!);

  it('can be rebuilt if its index was lost', async () => {
    const generation = await test.live();
    await storeTestMemory(test, { content: 'lighthouse' });
    await generation.apply(await test.store.readAll({ after: 0, limit: 10 }), await generation.checkpoint());
    await test.index.dropGeneration('lexical-g1');
    const { digest, liveDigest } = await test.rebuilt();
    expect(digest).not.toBe(liveDigest);
    expect(await findTerms(test.index, 'lexical-g2', 'lighthouse')).toHaveLength(1);
  });

  it('creates an index with each generation and drops both together', async () => {
    await test.live();
    const beside = await createBeside(test.sql, test.projection);
    expect(await test.index.generations()).toEqual(['lexical-g1', 'lexical-g2']);
    await dropGeneration(test.sql, test.projection, beside.number);
    expect(await test.index.generations()).toEqual(['lexical-g1']);
    await expect(dropGeneration(test.sql, test.projection, 1)).rejects.toThrow(/is live/);
    expect(await test.index.generations()).toEqual(['lexical-g1']);
  });

  it('keeps a generation whose index cannot be dropped now, and drops it later', async () => {
    await test.live();
    const beside = await createBeside(test.sql, test.projection);
    test.faulty.before = (method) => {
      if (method === 'dropGeneration') throw new LexicalIndexUnavailable('away');
    };
    await expect(dropGeneration(test.sql, test.projection, beside.number)).rejects.toThrow('away');
    expect(await beside.checkpoint()).toMatchObject({ position: 0 });
    test.faulty.mend();
    await dropGeneration(test.sql, test.projection, beside.number);
    expect(await test.index.generations()).toEqual(['lexical-g1']);
  });

  it('does not begin with an index that contains documents of another database', async () => {
    await test.index.createGeneration('lexical-g1');
    const foreign = { tenant: 'acme', memoryId: 'a', revision: 0, deleted: true } as const;
    await test.index.write('lexical-g1', [foreign]);
    await expect(ensureLive(test.sql, test.projection)).rejects.toThrow(/index prefix of its own/);
    expect(await listed(test.index, 'lexical-g1')).toHaveLength(1);
  });
});
