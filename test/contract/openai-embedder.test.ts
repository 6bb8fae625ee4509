import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openOpenAiEmbedder, type OpenAiEmbedderOptions } from '../../src/adapters/openai/embedder.ts';
import { loggedError } from '../../src/observability/logger.ts';
import {
  embedEach,
  EmbedderUnavailable,
  TextRefused,
  WrongDimension,
  type Embedder,
  type EmbeddingRun,
} from '../../src/ports/embedder.ts';
import { scriptedEmbeddings, type Script, type ScriptedEmbeddings } from '../support/scripted-embeddings.ts';
import { json } from '../support/scripted-endpoint.ts';
import { embedderContract, lengthOf } from './embedder.ts';

const dimension = 64;
let server: ScriptedEmbeddings;
beforeAll(async () => {
  server = await scriptedEmbeddings(dimension);
});
afterAll(() => server.close());
beforeEach(() => {
  server.script();
  server.always();
  server.requests.length = 0;
});

/** Short delays to keep the tests fast. */
const limits = {
  query: { attempts: 2, firstDelayMs: 1 },
  passage: { attempts: 3, firstDelayMs: 1 },
};

const open = (options: Partial<OpenAiEmbedderOptions> = {}) =>
  openOpenAiEmbedder({ baseURL: server.baseURL, model: 'scripted', dimension, limits, ...options });

async function using<T>(
  options: Partial<OpenAiEmbedderOptions>,
  use: (embedder: Embedder) => Promise<T>,
): Promise<T> {
  const embedder = await open(options);
  try {
    return await use(embedder);
  } finally {
    await embedder.close();
  }
}

const answer =
  (status: number, content: unknown, headers: Record<string, string> = {}): Script =>
  (_, response) =>
    json(response, status, content, headers);
const embeddings = (...vectors: unknown[]) => ({
  data: vectors.map((embedding, index) => ({ index, embedding })),
});
const ones = Array.from({ length: dimension }, () => 1);

embedderContract('openai', () => open(), { queriesDiffer: false });

describe('openai embedder: requests', () => {
  it('requests the dimension from the endpoint if none is configured', async () => {
    const embedder = await openOpenAiEmbedder({ baseURL: server.baseURL, model: 'scripted', limits });
    expect(embedder.model).toEqual({ id: 'openai:scripted:64', dimension });
    await embedder.close();
  });

  it('[H4] reports the tokens of each request, counted by the endpoint or estimated', async () => {
    const runs: EmbeddingRun[] = [];
    await using({ onRun: (run) => runs.push(run) }, async (embedder) => {
      await embedder.embed(['three words here'], 'query');
      server.script(answer(200, embeddings(ones)));
      await embedder.embed(['sixteen letters.'], 'passage');
      server.script(answer(400, { error: { message: 'too long' } }));
      await expect(embedder.embed(['never'], 'passage')).rejects.toBeInstanceOf(TextRefused);
      server.script(answer(401, { error: { message: 'no such key' } }));
      await expect(embedder.embed(['unheard'], 'passage')).rejects.toThrow();
    });
    const run = {
      model: 'openai:scripted:64',
      texts: 1,
      refused: 0,
      durationMs: expect.any(Number) as number,
    };
    expect(runs).toEqual([
      { ...run, purpose: 'query', outcome: 'embedded', tokens: 3 },
      { ...run, purpose: 'passage', outcome: 'embedded', tokens: 4 },
      { ...run, purpose: 'passage', outcome: 'embedded', refused: 1, tokens: 0 },
      { ...run, purpose: 'passage', outcome: 'failed', tokens: 0 },
    ]);
  });

  it('does not open if that request fails', async () => {
    server.script(answer(401, { error: { message: 'no such key' } }));
    const opening = openOpenAiEmbedder({ baseURL: server.baseURL, model: 'scripted', limits });
    await expect(opening).rejects.toBeInstanceOf(EmbedderUnavailable);
    await expect(opening).rejects.toThrow(/scripted at http:.*answered 401$/);
  });

  it('sends at most a batch of texts, as floats, with the key', () =>
    using({ apiKey: 'secret', batch: 8 }, async (embedder) => {
      const texts = Array.from({ length: 50 }, (_, i) => `text ${i}`);
      const vectors = await embedder.embed(texts, 'passage');
      expect(vectors.every((vector) => Math.abs(lengthOf(vector) - 1) < 1e-5)).toBe(true);
      expect(server.requests.flatMap(({ input }) => input).toSorted()).toEqual(texts.toSorted());
      expect(server.requests.length).toBeLessThan(20);
      for (const request of server.requests) {
        expect(request.input.length).toBeLessThanOrEqual(8);
        expect(request).toMatchObject({
          model: 'scripted',
          encoding_format: 'float',
          authorization: 'Bearer secret',
        });
      }
    }));

  it('limits concurrent requests with passages, but sends a query at once', async () => {
    let most = 0;
    let running = 0;
    const release: (() => void)[] = [];
    const slow: Script = async ({ input }, response) => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => release.push(resolve));
      running--;
      json(response, 200, embeddings(...input.map(() => ones)));
    };
    await using({ batch: 1, concurrency: 2 }, async (embedder) => {
      server.script(slow, slow);
      const passages = embedder.embed(['a', 'b', 'c', 'd'], 'passage');
      await expect.poll(() => release.length).toBe(2);
      await embedder.embed(['urgent'], 'query');
      expect(server.requests.map(({ input }) => input[0])).toEqual(['a', 'b', 'urgent']);
      for (const go of release) go();
      await passages;
      expect(most).toBe(2);
    });
  });

  it('truncates long texts between characters and replaces invalid Unicode', () =>
    using({ longestText: 5 }, async (embedder) => {
      await embedder.embed(['abcdefgh'], 'passage');
      await embedder.embed(['abcd🦆'], 'passage');
      await embedder.embed(['a\ud83db'], 'passage');
      expect(server.requests.map(({ input }) => input)).toEqual([['abcde'], ['abcd'], ['a\ufffdb']]);
    }));

  it('orders the vectors by their index', () =>
    using({}, async (embedder) => {
      const minus = ones.map((value) => -value);
      const reversed: Script = ({ input }, response) =>
        json(response, 200, {
          data: input.map((text, index) => ({ index, embedding: text === 'plus' ? ones : minus })).reverse(),
        });
      server.script(answer(503, {}), reversed, reversed);
      const [plus, other] = await embedder.embed(['plus', 'minus'], 'passage');
      expect(plus?.[0]).toBeGreaterThan(0);
      expect(other?.[0]).toBeLessThan(0);
    }));
});

describe('openai embedder: failures', () => {
  it.each<[string, Script]>([
    ['a server error', answer(500, { error: { message: 'oops' } })],
    ['an overloaded server', answer(429, {}, { 'retry-after': '0' })],
    ['JSON that breaks off', answer(200, '{"data": [{"index": 0, "embed')],
    ['an answer that is not JSON', (_, response) => void response.end('<html>proxy</html>')],
    ['fewer vectors than texts', answer(200, embeddings())],
    ['more vectors than texts', answer(200, embeddings(ones, ones))],
    ['the index of another text', answer(200, { data: [{ index: 7, embedding: ones }] })],
    ['a vector of strings', answer(200, embeddings(ones.map(String)))],
    ['a vector in base64', answer(200, embeddings('AACAPwAAgD8='))],
    ['a vector of nulls', answer(200, embeddings(ones.map(() => null)))],
    ['a vector without a direction', answer(200, embeddings(ones.map(() => 0)))],
    ['a connection that is cut', (_, response) => void response.destroy()],
    [
      'a body that is cut',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"data": [');
        setImmediate(() => response.destroy());
      },
    ],
  ])('retries after %s, and is unavailable if that persists', (_, trouble) =>
    using({}, async (embedder) => {
      server.script(trouble, trouble);
      const [vector] = await embedder.embed(['text'], 'passage');
      expect(vector).toHaveLength(dimension);
      expect(server.requests).toHaveLength(3);
      server.always(trouble);
      await expect(embedder.embed(['other'], 'passage')).rejects.toBeInstanceOf(EmbedderUnavailable);
      // One more may ask whether it embeds anything.
      const asked = server.requests.slice(3).filter(({ input }) => input.includes('other'));
      expect(asked).toHaveLength(3);
    }),
  );

  it.each<[string, Script]>([
    ['does not answer', () => undefined],
    [
      'stops within its answer',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"data": [');
      },
    ],
  ])('abandons a request that %s', (_, silence) =>
    using({ limits: { ...limits, passage: { ...limits.passage, requestMs: 100 } } }, async (embedder) => {
      server.script(silence);
      expect(await embedder.embed(['text'], 'passage')).toHaveLength(1);
      server.always(silence);
      await expect(embedder.embed(['other'], 'passage')).rejects.toBeInstanceOf(EmbedderUnavailable);
    }),
  );

  it('is unavailable at once if the endpoint asks to wait longer than the deadline', () =>
    using({}, async (embedder) => {
      server.script(answer(429, { error: { message: 'slow down' } }, { 'retry-after': '3600' }));
      await expect(embedder.embed(['text'], 'passage')).rejects.toThrow('answered 429');
      expect(server.requests).toHaveLength(1);
    }));

  it('[H5] holds back all requests while the endpoint asks for a pause', () =>
    using({}, async (embedder) => {
      server.script(answer(429, {}, { 'retry-after-ms': '300' }));
      const start = performance.now();
      const first = embedder.embed(['first'], 'passage');
      await expect.poll(() => server.requests.length).toBe(1);
      await Promise.all([first, embedder.embed(['second'], 'query'), embedder.embed(['third'], 'passage')]);
      expect(performance.now() - start).toBeGreaterThan(290);
      // One was refused; each of the three was embedded once.
      expect(server.requests.flatMap(({ input }) => input).sort()).toEqual([
        'first',
        'first',
        'second',
        'third',
      ]);
    }));

  it.each([
    [{ 'retry-after-ms': '250' }, 240],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '0.25s' }, 240],
    [{ 'x-ratelimit-remaining-tokens': '9', 'x-ratelimit-reset-tokens': '1h' }, 0],
  ])('[H5] reads the pause from %j', (headers, leastMs) =>
    using({}, async (embedder) => {
      server.script(answer(429, {}, headers));
      const start = performance.now();
      await embedder.embed(['text'], 'passage');
      expect(performance.now() - start).toBeGreaterThanOrEqual(leastMs);
    }),
  );

  it('waits as long as Retry-After says', () =>
    using({}, async (embedder) => {
      server.script(answer(429, {}, { 'retry-after': '0.3' }));
      const start = performance.now();
      await embedder.embed(['text'], 'passage');
      expect(performance.now() - start).toBeGreaterThan(290);
    }));

  it.each([401, 403, 404])('does not repeat a request that is answered %i', (status) =>
    using({}, async (embedder) => {
      server.script(answer(status, { error: { message: 'no' } }));
      await expect(embedder.embed(['text'], 'passage')).rejects.toBeInstanceOf(EmbedderUnavailable);
      expect(server.requests).toHaveLength(1);
    }),
  );

  it('rejects vectors of another dimension', () =>
    using({}, async (embedder) => {
      server.always(answer(200, embeddings([1, 2, 3])));
      const call = embedder.embed(['text'], 'query');
      await expect(call).rejects.toBeInstanceOf(WrongDimension);
      await expect(call).rejects.toThrow('3 dimensions instead of 64');
    }));

  it('discloses neither the endpoint’s messages nor credentials of its URL, which may contain keys and texts', async () => {
    const says = (status: number, message: string) => answer(status, { error: { message } });
    const failures: unknown[] = [];
    const note = (error: unknown) => void failures.push(error);
    await using({ baseURL: server.baseURL.replace('//', '//user:hush@') }, async (embedder) => {
      await embedder.embed(['text'], 'query').catch(note);
    });
    await using({ apiKey: 'sk-1' }, async (embedder) => {
      server.script(says(401, 'no such key: sk-1'), says(400, 'not to be taken: my text'));
      await embedder.embed(['my text'], 'query').catch(note);
      await embedder.embed(['my text'], 'query').catch(note);
      server.script(...Array.from({ length: 2 }, () => answer(200, '<html>my text')));
      await embedder.embed(['my text'], 'query').catch(note);
    });
    expect(failures).toHaveLength(4);
    const logged = failures.map((error) => JSON.stringify(loggedError(error)));
    expect(logged.filter((line) => /hush|sk-1|my text/.test(line))).toEqual([]);
  });

  it('rejects only the text that the endpoint refuses, not others in the same request', () =>
    using({ concurrency: 1 }, async (embedder) => {
      const refuse: Script = ({ input }, response) =>
        input.includes('bad')
          ? json(response, 400, { error: { message: 'too long' } })
          : json(response, 200, embeddings(...input.map(() => ones)));
      server.script(...Array.from({ length: 12 }, () => refuse));
      const texts = ['first', 'a', 'b', 'bad', 'c', 'd'];
      const outcomes = await Promise.allSettled(texts.map((text) => embedder.embed([text], 'passage')));
      const rejected = outcomes.flatMap((outcome, i) => (outcome.status === 'rejected' ? [texts[i]] : []));
      expect(rejected).toEqual(['bad']);
      expect(outcomes[3]).toMatchObject({ reason: expect.any(TextRefused) as unknown });
      expect(server.requests.some(({ input }) => input.length > 1)).toBe(true);
    }));

  /** Good vectors, but `failing` whenever the texts of the request include the word. */
  const failsFor =
    (word: string, failing: Script): Script =>
    (request, response) =>
      (request.input.some((text) => text.includes(word))
        ? failing
        : answer(200, embeddings(...request.input.map(() => ones))))(request, response);
  const withOne =
    (embedding: unknown): Script =>
    ({ input }, response) =>
      json(response, 200, embeddings(...input.map((text) => (text.includes('poison') ? embedding : ones))));
  const others = Array.from({ length: 12 }, (_, n) => `harmless ${n}`);
  const mixed = [...others.slice(0, 5), 'poison note', ...others.slice(5)];

  it.each<[string, Script]>([
    ['500', failsFor('poison', answer(500, { error: { message: 'json: unsupported value: NaN' } }))],
    ['502', failsFor('poison', answer(502, '<html>Bad gateway</html>'))],
    ['422 for it', failsFor('poison', answer(422, { error: { message: 'cannot be embedded' } }))],
    ['JSON with NaN', failsFor('poison', answer(200, '{"data": [{"index": 0, "embedding": [NaN, NaN]}]}'))],
    ['a cut connection', failsFor('poison', (_, response) => void response.destroy())],
    ['null', withOne(null)],
    ['a list of nulls', withOne(ones.map(() => null))],
    ['zeros', withOne(ones.map(() => 0))],
    ['an empty list', withOne([])],
    ['another dimension', withOne([1, 2, 3])],
  ])('[H4] refuses the one text of a batch that is answered with %s, and embeds all others', (_, script) =>
    using({}, async (embedder) => {
      server.always(script);
      const outcomes = await embedEach(embedder, mixed, 'passage');
      expect(mixed.filter((_, n) => outcomes[n] instanceof TextRefused)).toEqual(['poison note']);
      expect(outcomes.filter((outcome) => outcome instanceof Float32Array)).toHaveLength(12);
      await expect(embedder.embed(['poison question'], 'query')).rejects.toBeInstanceOf(TextRefused);
      expect(server.requests.length).toBeLessThan(40);
    }),
  );

  it.each<[string, Script]>([
    ['is down', (_, response) => void response.destroy()],
    ['fails', answer(500, { error: { message: 'out of memory' } })],
    ['is busy', answer(503, {})],
    ['has another model', answer(200, embeddings([1, 2, 3]))],
  ])('[H4] refuses no text if the endpoint %s for all texts', (_, script) =>
    using({}, async (embedder) => {
      server.always(script);
      await expect(embedder.embed(mixed, 'passage')).rejects.toBeInstanceOf(EmbedderUnavailable);
    }),
  );

  it('[H4] refuses no text if the endpoint breaks down while it looks for one', () =>
    using({ concurrency: 1 }, async (embedder) => {
      const poison = failsFor('poison', answer(500, {}));
      server.always((request, response) => {
        if (request.input.length === 1 && request.input[0]!.includes('poison'))
          server.always(answer(500, {}));
        return poison(request, response);
      });
      await expect(embedder.embed(mixed, 'passage')).rejects.toBeInstanceOf(EmbedderUnavailable);
    }));

  /** Refuses requests with a text of more than `limit` units. */
  const upTo =
    (limit: number, refusal: Script): Script =>
    (request, response) =>
      (request.input.some((text) => text.length > limit)
        ? refusal
        : answer(200, embeddings(...request.input.map(() => ones))))(request, response);

  it.each<[string, Script]>([
    ['413', answer(413, '')],
    ['400', answer(400, { error: { message: "This model's maximum context length is 8192 tokens." } })],
    ['400 without a reason', answer(400, '')],
    ['422', answer(422, { error: '`inputs` must have less than 512 tokens. Given: 1024' })],
    [
      '500',
      answer(500, {
        error: { message: 'input (800 tokens) is too large. increase the physical batch size' },
      }),
    ],
  ])('[H4] cuts a text until the endpoint takes it, if that answers %s to longer ones', (_, refusal) =>
    using({}, async (embedder) => {
      server.always(upTo(600, refusal));
      const long = 'a word of many '.repeat(200);
      const vectors = await embedder.embed([...others, long], 'passage');
      expect(vectors).toHaveLength(13);
      await embedder.embed([long], 'query');
      const taken = server.requests.flatMap(({ input }) => input).filter((text) => text.length <= 600);
      const cut = taken.filter((text) => text.startsWith('a word of many'));
      expect(cut).toHaveLength(2);
      for (const text of cut) {
        expect(text.length).toBeGreaterThan(300);
        expect(long.startsWith(text)).toBe(true);
      }
      expect(server.requests.length).toBeLessThan(25);
    }),
  );

  it('is unavailable when nothing listens', () =>
    using({ baseURL: 'http://127.0.0.1:9/v1' }, async (embedder) => {
      await expect(embedder.embed(['text'], 'query')).rejects.toBeInstanceOf(EmbedderUnavailable);
    }));

  it('aborts pending requests when it is closed', async () => {
    const embedder = await open();
    server.script(() => undefined);
    const call = embedder.embed(['text'], 'passage');
    const rejected = expect(call).rejects.toBeInstanceOf(EmbedderUnavailable);
    await expect.poll(() => server.requests.length).toBe(1);
    await embedder.close();
    await rejected;
  });
});
