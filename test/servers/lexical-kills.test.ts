import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeTestMemory, testContext, updateTestMemory } from '../support/event-store.ts';
import { openLexicalCluster, RunningModels, type LexicalCluster } from '../support/lexical-cluster.ts';
import { findTerms } from '../support/lexical-documents.ts';
import { openSearchHome, PrivateOpenSearch } from '../support/private-opensearch.ts';

const home = process.env['STRATALOG_OPENSEARCH_URL'] ? openSearchHome() : undefined;

describe.skipIf(!home)('the lexical index of an OpenSearch that is killed', () => {
  let node: PrivateOpenSearch;
  let test: LexicalCluster;
  let models: RunningModels;

  beforeAll(async () => {
    node = await PrivateOpenSearch.start(home!);
    test = await openLexicalCluster(node.url, { writePatienceMs: 60_000 });
    models = await RunningModels.start(test, test.embedder, test.projections, test.index);
  }, 300_000);

  afterAll(async () => {
    await models?.stop();
    await test?.close();
    await node?.remove();
  });

  it('[G3] is complete after kills under load, with each memory once in its last revision, and equals a rebuild', async () => {
    const streams: Awaited<ReturnType<typeof storeTestMemory>>[] = [];
    let loading = true;
    const load = (async () => {
      for (let n = 0; loading; n++) {
        const one = streams[n % 40];
        if (n % 3 === 0 || !one) streams.push(await storeTestMemory(test, { content: `beacon ${n}` }));
        else await updateTestMemory(test, one.stream, `beacon changed ${n}`);
      }
    })();
    // Handled below.
    load.catch(() => undefined);
    for (let kill = 0; kill < 2; kill++) {
      const before = streams.length;
      await expect.poll(() => streams.length, { timeout: 60_000 }).toBeGreaterThan(before + 60);
      await node.kill();
      // Meanwhile memories are stored, and searches answer by vectors.
      const meanwhile = streams.length;
      await expect.poll(() => streams.length, { timeout: 60_000 }).toBeGreaterThan(meanwhile + 20);
      expect((await models.answer('beacon', { minPosition: 0 })).warnings).toHaveLength(1);
      await node.restart();
    }
    const { done } = await models.operations.rebuild('lexical', testContext());
    loading = false;
    await load;
    const { digest, liveDigest } = await done;
    expect(digest).toBe(liveDigest);
    expect(await test.sql.query('select 1 from follow.parked')).toEqual([]);
    await models.find('beacon');
    const found = await findTerms(test.index, 'lexical-g1', 'beacon', 10_000);
    expect(new Set(found)).toEqual(new Set(streams.map(({ value }) => value.id)));
    expect(found).toHaveLength(streams.length);
  }, 300_000);
});
