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

/** Memories of a tenant, each in a stream of its own; their ids. */
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

/** Passages are embedded, queries only while `fail` does not say otherwise. */
function failingQueries(embedder: Embedder, fail: () => boolean): Embedder {
  return {
    ...embedder,
    embed: (texts, purpose) =>
      purpose === 'query' && fail()
        ? Promise.reject(new EmbedderUnavailable('away'))
        : embedder.embed(texts, purpose),
  };
}

describe.skipIf(!url)('[A5] a search whose words OpenSearch finds', () => {
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

  it('[I3] finds what the tenant has, and nothing of another tenant, whose words change no score', async () => {
    const [own] = await store(test, 'north', [{ content: 'the lighthouse keeper' }]);
    const before = await models.find('lighthouse', { tenant: 'north' });
    const foreign = Array.from({ length: 30 }, () => ({ content: 'a lighthouse of the south' }));
    await store(test, 'south', foreign);
    expect(await models.find('lighthouse', { tenant: 'south', topK: 50 })).toHaveLength(30);
    expect(before).toEqual([{ id: own, score: expect.any(Number) as number }]);
    expect(await models.find('lighthouse', { tenant: 'north' })).toEqual(before);
  });

  it('[I3] takes the word of the index for nothing: what it answers of others is not shown', async () => {
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

  it('finds the one memory that the filter lets through behind thousands whose words match better', async () => {
    const tenant = `filtered_${uuid().slice(-12)}`;
    const [wanted] = await store(test, tenant, [
      { content: `harbour ${'and very much else that was said '.repeat(30)}`, tags: ['rare'] },
    ]);
    const others = Array.from({ length: 5_000 }, (_, n) => ({ content: `harbour ${n}`, tags: ['common'] }));
    await store(test, tenant, others);
    const where = (tag: string) => parseFilter({ tags: { contains: tag } });
    queriesFail = true;
    await expect.poll(() => models.find('harbour', { tenant }), { timeout: 180_000 }).toHaveLength(10);
    const asked = async (filter: Filter) => {
      test.faulty.searches.length = 0;
      const found = await models.find('harbour', { tenant, filter });
      return {
        ids: found.map(({ id }) => id),
        among: test.faulty.searches.map(({ among }) => among?.length),
      };
    };
    // The filter's own values tell which few it leaves: the index is not asked.
    expect(await asked(where('rare'))).toEqual({ ids: [wanted], among: [] });
    expect(await asked(where('nothing'))).toEqual({ ids: [], among: [] });
    // Of a negation they tell nothing: it was not among the first, and was then looked for among what the filter lets through.
    const uncommon = parseFilter({ not: { tags: { contains: 'common' } } });
    expect(await asked(uncommon)).toEqual({ ids: [wanted], among: [undefined, 1] });
    // Most of what the words find passes: nothing is asked a second time for it.
    const common = await asked(where('common'));
    expect(common.ids).toHaveLength(10);
    expect(common.among).toEqual([undefined]);
  }, 300_000);

  it('shows no memory before its row is there, whatever the index has', async () => {
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

describe.skipIf(!url)('[A5] a search while the lexical index is away', () => {
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

  it('answers by meaning with a warning that names words, asks no more for a while, and then finds words again', async () => {
    const whole = await models.answer('lighthouse');
    expect(whole.warnings).toEqual([]);
    let asked = 0;
    // Frozen: it never answers.
    test.faulty.before = (method) => {
      if (method !== 'search') return undefined;
      asked++;
      return new Promise(() => {});
    };
    for (let n = 0; n < 5; n++) {
      const { best, warnings } = await models.answer('lighthouse');
      expect(warnings).toEqual([{ code: 'partial', detail: expect.stringMatching(/words/) as string }]);
      // What meaning finds is scored by its words too.
      expect(best.map(({ score }) => score)).toEqual(whole.best.map(({ score }) => score));
    }
    expect(asked).toBe(1);
    queriesFail = true;
    await expect(models.answer('lighthouse')).rejects.toBeInstanceOf(LexicalIndexUnavailable);
    queriesFail = false;
    test.faulty.mend();
    await expect
      .poll(async () => (await models.answer('lighthouse')).warnings, { timeout: 20_000, interval: 300 })
      .toEqual([]);
  });

  it('refused by OpenSearch for another reason fails: that is not its absence', async () => {
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
  it('answer the same memories with the same scores; the one takes over from the other without a gap', async () => {
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
      // So few that either engine finds each one that has a word of the question.
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
      /** Of many the engines' hundredth candidates differ, and such a one may be a result; its score does not. */
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

      // The cluster profile on the same database: at first it searches where the words are.
      models = await RunningModels.start(test, test.embedder, test.projections, test.index);
      expectSame(await answers(), inDatabase);
      expect(test.faulty.searches).toEqual([]);
      await models.operations.renewStale(testContext());
      expectSame(await answers(), inDatabase);
      expect(test.faulty.searches).toHaveLength(2 * questions.length);
      await models.stop();

      // And back: until the words are in the database again, meaning answers and says so.
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
