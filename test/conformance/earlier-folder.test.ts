import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scoreOf } from '../../src/domain/ranking/score-scale.ts';
import { answerOf, withoutTransient, type Expected, type RecordedCall } from '../fixtures/recorded-calls.ts';
import { clientOf, type Client, type Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { startServer, testProfile, type TestServer } from '../support/server.ts';

const folder = path.resolve('test/fixtures/data-folder-0.1');
const expected = JSON.parse(await readFile(path.join(folder, 'expected.json'), 'utf8')) as Expected;
const projections = '/v1/admin/projections';
const patience = { timeout: 60_000, interval: 100 };

/** Version 0.1 refused these values, which mean something now. */
function isAnsweredAlike({ body }: RecordedCall): boolean {
  const { order, content } = (body ?? {}) as { readonly order?: string; readonly content?: string };
  return order !== 'layer' && content === undefined;
}

/** Version 0.1 applied thresholds to the relevance, and its default order was by layer. */
function inTermsOfToday(call: RecordedCall): RecordedCall {
  if (call.path !== '/v1/search') return call;
  const { threshold = 0.7, order = 'precedence', ...body } = call.body as Json;
  const byLayer = order === 'precedence' ? 'layer' : order;
  return { ...call, body: { ...body, threshold: scoreOf(threshold), order: byLayer } };
}

/** What version 0.1 called the score of a result is its relevance. */
function asRelevance(answer: Json): Json {
  if (!Array.isArray(answer?.results)) return answer;
  return {
    ...answer,
    results: answer.results.map(({ score, ...result }: Json) => ({ ...result, relevance: score })),
  };
}

/**
 * A search of the past now weighs words by how rare they were then, and one of a caller who does not see the whole tenant without the
 * personal memories of others: their memories are compared, and not their relevances.
 */
function withoutRarity({ path, body, as }: RecordedCall, answer: Json): Json {
  const isSearch = path === '/v1/search';
  const isOfPast = isSearch && (body as { readonly asOf?: string }).asOf !== undefined;
  if (!(isOfPast || (isSearch && as !== 'ada')) || !Array.isArray(answer.answer?.results)) return answer;
  const results = answer.answer.results
    .map(({ relevance: _, ...result }: Json) => result)
    .sort((one: Json, other: Json) => (one.memory.id < other.memory.id ? -1 : 1));
  return { ...answer, answer: { ...answer.answer, results } };
}

/** Settings that there were not in version 0.1 have their defaults. */
function withNewSettings(answer: Json): Json {
  if (answer?.settings?.threshold === undefined) return answer;
  return { ...answer, settings: { ...answer.settings, exploration: true } };
}

function withoutScores({ status, answer }: Pick<RecordedCall, 'status' | 'answer'>): Json {
  const { results, ...rest } = (answer ?? {}) as Json;
  if (!Array.isArray(results)) return { status, answer };
  return { status, answer: { ...rest, results: results.map(({ score: _, ...result }: Json) => result) } };
}

/** Long memories are compared by their passages since: they are left out, and may have replaced the last results. */
function withoutLong(today: Json, then: Json): readonly [Json, Json] {
  if (!Array.isArray(then.answer?.results) || !Array.isArray(today.answer?.results)) return [today, then];
  const long = new Set<string>(
    [...today.answer.results, ...then.answer.results].flatMap(({ memory }: Json) =>
      memory.content.length > 1_000 ? [memory.id] : [],
    ),
  );
  if (long.size === 0) return [today, then];
  const short = ({ status, answer: { results, paths, ...rest } }: Json): Json => ({
    status,
    answer: {
      ...rest,
      results: results
        .filter(({ memory }: Json) => !long.has(memory.id))
        .map(({ rank: _, ...result }: Json) => result),
      ...(paths && {
        paths: paths.filter(({ memories }: Json) => !memories.some((id: string) => long.has(id))),
      }),
    },
  });
  const [now, before] = [short(today), short(then)];
  const replaced = before.answer.results.length - now.answer.results.length;
  expect(replaced).toBeLessThanOrEqual(long.size);
  if (replaced > 0) before.answer.results.splice(-replaced);
  return [now, before];
}

/**
 * In version 0.1 feedback was neither shown with a memory nor a part of its relevance, there was no value by use and no affirmation, and it did not count
 * whose feedback it was.
 */
function withoutFeedback(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withoutFeedback);
  if (typeof answer !== 'object' || answer === null) return answer;
  const { feedback: _, importance: __, affirmations: ___, isAuthoritative: ____, ...more } = answer as Json;
  // Nor did a memory have its trust, or an event the size in bytes.
  const { trust: _____, contentBytes: ______, ...rest } = more;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutFeedback(value)]));
}

/** The results without memories that feedback moved, and so without their ranks; as many of `limit` as there were then. */
function withoutJudged({ status, answer }: Json, judged: ReadonlySet<string>, limit = Infinity): Json {
  if (!Array.isArray(answer?.results)) return { status, answer };
  const results = answer.results
    .filter(({ memory }: Json) => !judged.has(memory.id))
    .map(({ rank: _, ...result }: Json) => result)
    .slice(0, limit);
  const paths = answer.paths?.filter(({ memories }: Json) => !memories.some((id: string) => judged.has(id)));
  return { status, answer: { ...answer, results, ...(paths && { paths: paths.slice(0, limit) }) } };
}

// Only the embedded profile has a data folder. The tests run in this order: each changes the folder.
describe.skipIf(testProfile !== 'embedded')('[F9] a data folder written by version 0.1', () => {
  let dataDir: string;
  let server: TestServer;
  let ada: Client;
  let operator: Client;
  const judged = new Set<string>();

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'stratalog-earlier-folder-'));
    await promisify(execFile)('tar', ['-C', dataDir, '-xzf', path.join(folder, 'folder.tar.gz')]);
    server = await startServer({
      dataDir,
      masterKey: expected.masterKey,
      environment: { STRATALOG_EMBEDDER: 'deterministic' },
    });
    ada = clientOf(server, expected.keys['ada']);
    operator = clientOf(server, expected.keys['operator']);
    for (const { type, data } of await auditEvents(ada))
      if (type === 'FeedbackGiven') judged.add(data.memoryId);
  });
  afterAll(async () => {
    await server?.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  const statusOf = async (name: string): Promise<Json> =>
    (await operator.get(projections)).body.items.find((item: Json) => item.name === name);

  it.each(expected.calls.filter(isAnsweredAlike).map((call, index) => ({ ...call, index })))(
    'answers as before: $index $method $path as $as',
    async (call) => {
      const { status, answer } = call;
      const today = await answerOf(server, expected.keys, inTermsOfToday(call));
      const then = withoutJudged(
        { status, answer: asRelevance(withNewSettings(withoutTransient(answer))) },
        judged,
      );
      const answered = withoutJudged(withoutScores(today), judged, then['answer']?.results?.length);
      const [now, before] = withoutLong(answered, then);
      const [given, wanted] = [now, before].map((one) => withoutFeedback(withoutRarity(call, one)));
      expect(given).toEqual(wanted);
    },
  );

  it('keeps every event in the log', async () => {
    const missing = async () => {
      const counts: Record<string, number> = {};
      for (const who of ['ada', 'bea'])
        for (const { type } of await auditEvents(clientOf(server, expected.keys[who])))
          counts[type] = (counts[type] ?? 0) + 1;
      return Object.entries(expected.events).filter(([type, count]) => (counts[type] ?? 0) < count);
    };
    // The searches above are written to the log after their answers.
    await expect.poll(missing, patience).toEqual([]);
  });

  it('[F4] shows the parked stream, and applies its events on retry', async () => {
    const { projection, stream, type } = expected.parked;
    const { source, target } = expected.parkedLink;
    const linked = async () =>
      (await ada.get(`/v1/memories/${source}/related`)).body.items.map(({ memory }: Json) => memory.id);
    expect((await statusOf(projection)).parked).toMatchObject([{ stream, type }]);
    expect(await linked()).not.toContain(target);
    expect((await operator.post(`${projections}/${projection}/retry`, { stream })).status).toBe(202);
    expect((await statusOf(projection)).parked).toEqual([]);
    expect(await linked()).toContain(target);
  });

  it('continues at its checkpoints: a new memory is found', async () => {
    const stored = await ada.store({ content: 'The zeppelin of hall 99 was inflated', layer: 'company' });
    const { body } = await ada.post('/v1/search', {
      query: 'zeppelin of hall 99',
      minPosition: stored.position,
    });
    expect(body.results[0].memory.id).toBe(stored.memory.id);
    await ada.delete(`/v1/memories/${stored.memory.id}?mode=erase`);
  });

  const rebuilt = async (name: string): Promise<Json> => {
    const { generation } = (await operator.post(`${projections}/${name}/rebuild`)).body;
    const built = async () =>
      (await statusOf(name)).generations.find((item: Json) => item.generation === generation);
    await expect.poll(async () => (await built()).state, patience).toBe('ready');
    return built();
  };

  it.each(Object.keys(expected.digests).filter((name) => name !== 'links'))(
    '[F4] rebuilds %s equal to the live read model',
    async (name) => {
      expect(await rebuilt(name)).toMatchObject({ equal: true });
    },
  );

  it('[F4] rebuilds links equal to the rebuild of then: the live read model lacks a skipped event', async () => {
    const { digest, equal } = await rebuilt('links');
    expect({ digest, equal }).toEqual({ digest: expected.digests['links'], equal: false });
  });
});
