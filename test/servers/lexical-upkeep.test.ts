import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@opensearch-project/opensearch';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LexicalIndexUnavailable } from '../../src/ports/lexical-index.ts';
import { LexicalUpkeep } from '../../src/projections/lexical/upkeep.ts';
import { storeTestMemory, testContext, updateTestMemory } from '../support/event-store.ts';
import {
  eraseTestMemory,
  openLexicalCluster,
  RunningModels,
  type LexicalCluster,
} from '../support/lexical-cluster.ts';
import { findTerms, listed } from '../support/lexical-documents.ts';
import { openSearchHome, PrivateOpenSearch } from '../support/private-opensearch.ts';

const home = process.env['STRATALOG_OPENSEARCH_URL'] ? openSearchHome() : undefined;

describe.skipIf(!home)('what OpenSearch keeps (needs `npm run stack -- up opensearch`)', () => {
  let node: PrivateOpenSearch;
  let test: LexicalCluster;
  let models: RunningModels;
  let upkeep: LexicalUpkeep;
  const errors: unknown[] = [];

  beforeAll(async () => {
    node = await PrivateOpenSearch.start(home!);
    test = await openLexicalCluster(node.url, { writePatienceMs: 60_000 });
    models = await RunningModels.start(test, test.embedder, test.projections, test.index);
    upkeep = new LexicalUpkeep({
      sql: test.sql,
      index: test.index,
      pauseMs: 100,
      onError: (error) => void errors.push(error),
    });
    upkeep.start();
  }, 300_000);

  afterEach(() => test.faulty.mend());

  afterAll(async () => {
    await upkeep?.stop();
    await models?.stop();
    await test?.close();
    await node?.remove();
  });

  /** Number of replaced and deleted documents that are still in segments. */
  async function deletedDocuments(): Promise<number> {
    const client = new Client({ node: node.url });
    const { body } = await client.indices.stats({ index: `${test.prefix}.lexical-g1`, metric: 'docs' });
    await client.close();
    return body._all.primaries?.docs?.deleted ?? 0;
  }

  /** Files of the node that contain `word` literally. */
  async function filesWith(word: string): Promise<string[]> {
    const folder = path.join(node.folder, 'data');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const found: string[] = [];
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = path.join(entry.parentPath, entry.name);
      // A file may be removed meanwhile.
      const bytes = await readFile(file).catch(() => Buffer.alloc(0));
      if (bytes.includes(word)) found.push(file);
    }
    return found;
  }

  it('[F6] of an erased memory is only its id and revision: no file contains its words', async () => {
    const kept = await storeTestMemory(test, { content: 'quayside harbour' });
    const erased = await storeTestMemory(test, { content: 'mumblewharf harbour' });
    await updateTestMemory(test, erased.stream, 'ostrichfeather harbour');
    await expect.poll(() => models.find('ostrichfeather'), { timeout: 20_000 }).not.toEqual([]);
    // Proves that searching the files works. The index has the stem.
    expect(await filesWith('ostrichfeath')).not.toEqual([]);
    await eraseTestMemory(test, erased.value.id);
    await models.find('harbour');
    expect(await findTerms(test.index, 'lexical-g1', 'ostrichfeather')).toEqual([]);
    // The first attempt fails and is retried.
    let tries = 0;
    test.faulty.before = (method) => {
      if (method === 'expunge' && tries++ === 0) throw new LexicalIndexUnavailable('away');
    };
    await expect
      .poll(() => test.sql.query('select 1 from read.lexical_expunge_g1'), {
        timeout: 120_000,
        interval: 500,
      })
      .toEqual([]);
    expect(tries).toBe(2);
    expect(await deletedDocuments()).toBe(0);
    for (const word of ['mumblewharf', 'ostrichfeath']) expect(await filesWith(word)).toEqual([]);
    expect(await findTerms(test.index, 'lexical-g1', 'quayside')).toEqual([kept.value.id]);
    expect((await listed(test.index, 'lexical-g1')).filter(({ deleted }) => deleted)).toEqual([
      { tenant: 'acme', memoryId: erased.value.id, revision: 2, deleted: true },
    ]);
  }, 240_000);

  it('[F4] has an alias to the live generation, after a switch and after a rollback', async () => {
    const serving = () => expect.poll(() => test.index.serving(), { timeout: 20_000 });
    await storeTestMemory(test, { content: 'lighthouse' });
    await serving().toBe('lexical-g1');
    const before = await models.find('lighthouse');
    const { done } = await models.operations.rebuild('lexical', testContext());
    const { digest, liveDigest } = await done;
    expect(digest).toBe(liveDigest);
    await models.operations.switch('lexical', testContext());
    expect(await models.find('lighthouse')).toEqual(before);
    await serving().toBe('lexical-g2');
    // The former generation is still updated, so a rollback loses nothing.
    await storeTestMemory(test, { content: 'lighthouse again' });
    const now = await models.find('lighthouse');
    expect(now.length).toBe(before.length + 1);
    await models.operations.rollback('lexical', testContext());
    expect(await models.find('lighthouse')).toEqual(now);
    await serving().toBe('lexical-g1');
  });
});
