import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseFilter, type Filter } from '../../src/domain/filter.ts';
import { decide, initialState, type MemoryValue } from '../../src/domain/memory/memory.ts';
import { memoryStream } from '../../src/domain/streams.ts';
import { EmbedderUnavailable, type Embedder } from '../../src/ports/embedder.ts';
import { LexicalIndexUnavailable } from '../../src/ports/lexical-index.ts';
import { allProjections } from '../../src/projections/all.ts';
import {
  memoryKey,
  memoryValue,
  testContext,
  updateTestMemory,
  type TestStore,
} from '../support/event-store.ts';
import { openLexicalCluster, RunningModels, type LexicalCluster } from '../support/lexical-cluster.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';

const url = process.env['STRATALOG_OPENSEARCH_URL'];

/** Stores memories of a tenant. Returns their ids. */
async function store(
  test: TestStore,
  tenant: string,
  values: readonly Partial<MemoryValue>[],
): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < values.length; at += 100) {
    const part = values
      .slice(at, at + 100)
      .map((more) => memoryValue({ layer: 'company', scope: {}, ...more }));
    await Promise.all(
      part.map((value) =>
        test.store.append(
          memoryStream(tenant, value.id),
          'noStream',
          decide({ type: 'store', value }, initialState),
          testContext({ tenant, key: memoryKey(uuid(), tenant) }),
        ),
      ),
    );
    ids.push(...part.map(({ id }) => id));
  }
  return ids;
}

/** Embeds passages, and queries only while `fail` returns false. */
function failingQueries(embedder: Embedder, fail: () => boolean): Embedder {
  return {
    ...embedder,
    embed: (texts, purpose) =>
      purpose === 'query' && fail()
        ? Promise.reject(new EmbedderUnavailable('away'))
        : embedder.embed(texts, purpose),
  };
}

describe.skipIf(!url)('[A5] a search with words in OpenSearch', () => {
  let test: LexicalCluster;
  let models: RunningModels;
  let queriesFail = false;

  beforeAll(async () => {
    test = await openLexicalCluster(url!);
    const embedder = failingQueries(test.embedder, () => queriesFail);
    models = await RunningModels.start(test, embedder, test.projections, test.index);
  }, 300_000);

  afterAll(async () => {
    await models?.stop();
    await test?.close();
  });

  afterEach(() => {
    queriesFail = false;
    test.faulty.mend();
  });

  it('[I3] finds memories of the tenant and none of another tenant, whose words do not change scores', async () => {
    const [own] = await store(test, 'north', [{ content: 'the lighthouse keeper' }]);
    const before = await models.find('lighthouse', { tenant: 'north' });
    const foreign = Array.from({ length: 30 }, () => ({ content: 'a lighthouse of the south' }));
    await store(test, 'south', foreign);
    expect(await models.find('lighthouse', { tenant: 'south', topK: 50 })).toHaveLength(30);
    expect(before).toEqual([{ id: own, score: expect.any(Number) as number }]);
    expect(await models.find('lighthouse', { tenant: 'north' })).toEqual(before);
  });

  it('[I3] does not trust the index: memories of others in its answer are not shown', async () => {
    const [own] = await store(test, 'trusting', [{ content: 'the lighthouse keeper' }]);
    const [foreign] = await store(test, 'elsewhere', [{ content: 'the lighthouse keeper' }]);
    const [hidden] = await store(test, 'trusting', [
      { content: 'another lighthouse', layer: 'team', scope: { team: 'other' } },
    ]);
    await models.find('lighthouse', { tenant: 'trusting' });
    test.faulty.answer = (method, answer) => (method === 'search' ? [own, foreign, hidden] : answer);
    queriesFail = true;
    const found = await models.find('lighthouse', { tenant: 'trusting', layers: ['company'] });
    expect(found.map(({ id }) => id)).toEqual([own]);
    expect(await models.find('lighthouse', { tenant: 'trusting' })).toHaveLength(2);
  });

  it('finds the only memory that matches the filter behind thousands with better matching words', async () => {
    const tenant = `filtered_${uuid().slice(-12)}`;
    const [wanted] = await store(test, tenant, [
      { content: `harbour ${'and very much else that was said '.repeat(30)}`, tags: ['rare'] },
    ]);
    const others = Array.from({ length: 5_000 }, (_, n) => ({ content: `harbour ${n}`, tags: ['common'] }));
    await store(test, tenant, others);
    const where = (tag: string) => parseFilter({ tags: { contains: tag } });
    queriesFail = true;
    await expect.poll(() => models.find('harbour', { tenant }), { timeout: 180_000 }).toHaveLength(10);
    const search = async (filter: Filter) => {
      test.faulty.searches.length = 0;
      const found = await models.find('harbour', { tenant, filter });
      return {
        ids: found.map(({ id }) => id),
        among: test.faulty.searches.map(({ among }) => among?.length),
      };
    };
    // The postings of the filter's values identify the few matches, so the index is not queried.
    expect(await search(where('rare'))).toEqual({ ids: [wanted], among: [] });
    expect(await search(where('nothing'))).toEqual({ ids: [], among: [] });
    // Postings cannot resolve a negation. The memory was not among the first hits, so a second query searches only the
    // matches of the filter.
    const uncommon = parseFilter({ not: { tags: { contains: 'common' } } });
    expect(await search(uncommon)).toEqual({ ids: [wanted], among: [undefined, 1] });
    // Most hits match the filter, so there is no second query.
    const common = await search(where('common'));
    expect(common.ids).toHaveLength(10);
    expect(common.among).toEqual([undefined]);
  }, 300_000);

  it('shows no memory before its row is written, whatever the index contains', async () => {
    const tenant = 'early';
    const [stored] = await store(test, tenant, [{ content: 'the lighthouse keeper' }]);
    await models.find('lighthouse', { tenant });
    const ahead = {
      tenant,
      memoryId: uuid(),
      revision: 0,
      deleted: false,
      layer: 'company',
      scope: {},
    } as const;
    await test.index.write('lexical-g1', [{ ...ahead, body: 'lighthouse' }]);
    await test.index.refresh('lexical-g1');
    queriesFail = true;
    expect((await models.find('lighthouse', { tenant })).map(({ id }) => id)).toEqual([stored]);
  });

  it('follows an update, a deletion and a restoration', async () => {
    const tenant = 'acme';
    const [id] = await store(test, tenant, [{ content: 'the lighthouse keeper' }]);
    const stream = memoryStream(tenant, id!);
    queriesFail = true;
    const found = async (words: string) => (await models.find(words, { tenant })).map((one) => one.id);
    await updateTestMemory(test, stream, 'the foghorn sounds');
    expect([await found('lighthouse'), await found('foghorn')]).toEqual([[], [id]]);
    const append = (type: 'MemoryDeleted' | 'MemoryRestored', data: object) =>
      test.store.append(stream, 'any', [{ type, data: { memoryId: id!, ...data } } as never], testContext());
    await append('MemoryDeleted', { retentionUntil: '2030-01-01T00:00:00Z' });
    expect(await found('foghorn')).toEqual([]);
    await append('MemoryRestored', {});
    expect(await found('foghorn')).toEqual([id]);
  });
});

describe.skipIf(!url)('[A5] a search while the lexical index is down', () => {
  let test: LexicalCluster;
  let models: RunningModels;
  let queriesFail = false;

  beforeAll(async () => {
    test = await openLexicalCluster(url!);
    const embedder = failingQueries(test.embedder, () => queriesFail);
    models = await RunningModels.start(test, embedder, test.projections, test.index);
    await store(test, 'acme', [{ content: 'the lighthouse keeper' }, { content: 'the foghorn' }]);
    await models.find('lighthouse');
  }, 300_000);

  afterAll(async () => {
    await models?.stop();
    await test?.close();
  });

  it('answers by vectors with a warning about words, does not query the index for a while, and then uses words again', async () => {
    const whole = await models.answer('lighthouse');
    expect(whole.warnings).toEqual([]);
    let calls = 0;
    // The index is frozen and never answers.
    test.faulty.before = (method) => {
      if (method !== 'search') return undefined;
      calls++;
      return new Promise(() => {});
    };
    for (let n = 0; n < 5; n++) {
      const { best, warnings } = await models.answer('lighthouse');
      expect(warnings).toEqual([{ code: 'partial', detail: expect.stringMatching(/words/) as string }]);
      // Memories found by vectors are still scored with their words.
      expect(best.map(({ score }) => score)).toEqual(whole.best.map(({ score }) => score));
    }
    expect(calls).toBe(1);
    queriesFail = true;
    await expect(models.answer('lighthouse')).rejects.toBeInstanceOf(LexicalIndexUnavailable);
    queriesFail = false;
    test.faulty.mend();
    await expect
      .poll(async () => (await models.answer('lighthouse')).warnings, { timeout: 20_000, interval: 300 })
      .toEqual([]);
  });

  it('fails if OpenSearch refuses it for another reason, because that is not an outage', async () => {
    test.faulty.before = (method) => {
      if (method === 'search') throw new Error('OpenSearch answers 400');
    };
    await expect(models.answer('lighthouse')).rejects.toThrow('400');
    test.faulty.mend();
  });
});

interface Corpus {
  readonly queries: readonly { readonly query: string }[];
}

describe.skipIf(!url)('[G3] the profiles with and without OpenSearch', () => {
  it('return the same memories with the same scores, and can be switched in both directions without a gap', async () => {
    const lines = (await readFile('corpus/memories.ndjson', 'utf8')).trim().split('\n');
    const { queries } = JSON.parse(await readFile('corpus/queries.json', 'utf8')) as Corpus;
    const questions = [...queries.map(({ query }) => query), 'What did I say about the release in February?'];
    const test = await openLexicalCluster(url!);
    let models: RunningModels | undefined;
    try {
      const contents = lines.map((line) => (JSON.parse(line) as { content: string }).content);
      await store(
        test,
        'many',
        contents.map((content) => ({ content })),
      );
      // So few memories that both engines find each one with a word of the question.
      await store(
        test,
        'few',
        contents.slice(0, 90).map((content, n) => ({
          content,
          ...(n % 4 !== 0 && { layer: 'session', scope: { user: 'ada', session: `s${n % 3}` } }),
          metadata: { role: n % 2 === 0 ? 'user' : 'assistant' },
          ...(n % 5 !== 0 && { occurredAt: `2025-0${1 + (n % 9)}-01T00:00:00Z` }),
        })),
      );
      const head = await test.log.head();
      models = await RunningModels.start(test, test.embedder, allProjections(soleEmbedder(test.embedder)));
      const answersOf = async (tenant: string) => {
        const all: (readonly [id: string, score: number])[][] = [];
        for (const question of questions) {
          const found = await models!.find(question, { tenant });
          all.push(found.map(({ id, score }) => [id, Number(score.toFixed(9))]));
        }
        return all;
      };
      const answers = async () => ({ few: await answersOf('few'), many: await answersOf('many') });
      type Answers = Awaited<ReturnType<typeof answers>>;
      /**
       * With many memories the last candidates of the engines may differ, and such a candidate may be a result. Scores do
       * not differ.
       */
      const expectSame = (now: Answers, then: Answers) => {
        expect(now.few).toEqual(then.few);
        for (const [n, found] of now.many.entries()) {
          const scores = new Map(then.many[n]);
          const common = found.filter(([id]) => scores.has(id));
          expect(common.length).toBeGreaterThanOrEqual(8);
          expect(common).toEqual(common.map(([id]) => [id, scores.get(id)]));
        }
      };
      while ((await models.operations.status()).some(({ generations }) => generations[0]!.position < head))
        await sleep(200);
      const inDatabase = await answers();
      expect([...inDatabase.few, ...inDatabase.many].flat()).toHaveLength(10 * 2 * questions.length);
      await models.stop();

      // The cluster profile with the same database. At first it searches the words in the database.
      models = await RunningModels.start(test, test.embedder, test.projections, test.index);
      expectSame(await answers(), inDatabase);
      expect(test.faulty.searches).toEqual([]);
      await models.operations.renewStale(testContext());
      expectSame(await answers(), inDatabase);
      expect(test.faulty.searches).toHaveLength(2 * questions.length);
      await models.stop();

      // Back to the other profile: until the words are in the database again, answers use only vectors and say so.
      models = await RunningModels.start(test, test.embedder, allProjections(soleEmbedder(test.embedder)));
      expect((await models.answer(questions[0]!, { tenant: 'few', minPosition: 0 })).warnings).toHaveLength(
        1,
      );
      await models.operations.renewStale(testContext());
      expectSame(await answers(), inDatabase);
    } finally {
      await models?.stop();
      await test.close();
    }
  }, 300_000);
});
