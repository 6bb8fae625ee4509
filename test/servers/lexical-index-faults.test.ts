import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOpenSearch, type OpenSearchOptions } from '../../src/adapters/opensearch/opensearch.ts';
import {
  LexicalIndexUnavailable,
  type LexicalDocument,
  type LexicalIndex,
} from '../../src/ports/lexical-index.ts';
import {
  deletion,
  document,
  find,
  freshGeneration,
  latestEntries,
  listed,
  put,
} from '../support/lexical-documents.ts';
import { openSearchHome, PrivateOpenSearch } from '../support/private-opensearch.ts';
import { faultSeed, randomOf, type Random } from '../support/random.ts';

const home = process.env['STRATALOG_OPENSEARCH_URL'] ? openSearchHome() : undefined;
const kills = 3;
const writers = 4;
/** So few memories that most writes change an existing one, often one that another writer changes at the same time. */
const memoryIds = Array.from({ length: 300 }, (_, n) => `memory-${n}`);

describe.skipIf(!home)('an OpenSearch node that fails (needs `npm run stack -- up opensearch`)', () => {
  let node: PrivateOpenSearch;
  const opened: LexicalIndex[] = [];

  beforeAll(async () => {
    node = await PrivateOpenSearch.start(home!);
  }, 300_000);

  afterAll(async () => {
    node?.thaw();
    await Promise.all(opened.map((index) => index.close()));
    await node?.remove();
  });

  function open(options: Partial<OpenSearchOptions> = {}): LexicalIndex {
    const index = openOpenSearch({ url: node.url, writePatienceMs: 60_000, ...options });
    opened.push(index);
    return index;
  }

  it('[G3] that is killed and restarted under load has every acknowledged document with its revision', async () => {
    const random = randomOf(faultSeed('killed OpenSearch'));
    const index = open();
    const generation = await freshGeneration(index);
    const revisions = new Map<string, number>();
    const acknowledged: LexicalDocument[] = [];
    let loading = true;

    const nextVersion = (chance: Random): LexicalDocument => {
      const memoryId = chance.pick(memoryIds);
      const revision = (revisions.get(memoryId) ?? -1) + 1;
      revisions.set(memoryId, revision);
      const whole = document(`beacon ${memoryId} of ${revision}`, { memoryId, revision });
      return chance.chance(0.2) ? deletion(whole, revision) : whole;
    };
    const writer = async (chance: Random): Promise<void> => {
      while (loading) {
        const documents = Array.from({ length: chance.int(1, 30) }, () => nextVersion(chance));
        const { written, outdated } = await index.write(generation, documents);
        expect(written + outdated).toBe(documents.length);
        acknowledged.push(...documents);
        if (chance.chance(0.1)) await index.refresh(generation);
      }
    };
    const load = Promise.all(Array.from({ length: writers }, () => writer(random.fork())));
    // Awaited below. Prevents an unhandled rejection if it fails earlier.
    load.catch(() => {});

    for (let kill = 0; kill < kills; kill++) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(before + 300);
      await new Promise((resolve) => setTimeout(resolve, random.int(0, 500)));
      await node.kill();
      await node.restart();
    }
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(before);
    loading = false;
    await load;

    await index.refresh(generation);
    const wanted = latestEntries(acknowledged);
    expect(await listed(index, generation)).toEqual(wanted);
    const active = wanted.filter(({ deleted }) => !deleted).map(({ memoryId }) => memoryId);
    expect(new Set(await find(index, generation, 'beacon', 1_000))).toEqual(new Set(active));
    process.stdout.write(`${kills} kills, ${acknowledged.length} documents acknowledged, none missing\n`);
  }, 600_000);

  it('keeps the alias and refreshed documents across a restart, and fails a list in progress', async () => {
    const index = open();
    const generation = await freshGeneration(index);
    const one = document('beacon');
    await put(index, generation, one, document('foghorn'));
    await index.serve(generation);
    const pages = index.list(generation, 1)[Symbol.asyncIterator]();
    expect((await pages.next()).value).toHaveLength(1);
    await node.kill();
    await node.restart();
    // The search context of the list is gone, and new pages would not be consistent with the first one.
    await expect(pages.next()).rejects.toBeInstanceOf(LexicalIndexUnavailable);
    expect(await open().serving()).toBe(generation);
    expect(await find(open(), generation, 'beacon')).toEqual([one.memoryId]);
  });

  it('is retried during an outage by writers, up to their timeout', async () => {
    const index = open();
    const generation = await freshGeneration(index);
    await node.kill();
    const impatient = open({ writePatienceMs: 300, readPatienceMs: 300 });
    for (const use of [
      () => impatient.write(generation, [document('impatient words')]),
      () => impatient.refresh(generation),
      () => impatient.createGeneration('unmade'),
      () => find(impatient, generation, 'beacon'),
      () => listed(impatient, generation),
      () => impatient.health(),
    ]) {
      const error: unknown = await use().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(LexicalIndexUnavailable);
      // The logged error contains no content.
      expect(inspect(error, { depth: Infinity, showHidden: true })).not.toMatch(/beacon|impatient words/);
    }

    const one = document('beacon');
    const written = index.write(generation, [one]).then(() => index.refresh(generation));
    const closing = open();
    const givenUp = closing.write(generation, [document('given up')]);
    givenUp.catch(() => {});
    await closing.close();
    await expect(givenUp).rejects.toBeInstanceOf(LexicalIndexUnavailable);
    await node.restart();
    await written;
    expect(await find(index, generation, 'beacon')).toEqual([one.memoryId]);
    expect((await index.health()).status).not.toBe('red');
  });

  it('that is frozen blocks no request forever, and continues normally afterwards', async () => {
    const index = open({ answerTimeoutMs: 500, readPatienceMs: 500 });
    const generation = await freshGeneration(index);
    const one = document('beacon');
    await put(index, generation, one);
    node.freeze();
    const written = index.write(generation, [{ ...one, revision: 1, body: 'foghorn' }]);
    await expect(find(index, generation, 'beacon')).rejects.toBeInstanceOf(LexicalIndexUnavailable);
    await expect(index.health()).rejects.toBeInstanceOf(LexicalIndexUnavailable);
    node.thaw();
    await written;
    await index.refresh(generation);
    expect(await find(index, generation, 'foghorn')).toEqual([one.memoryId]);
    expect(await find(index, generation, 'beacon')).toEqual([]);
  });
});
