import { describe, expect, it } from 'vitest';
import {
  isProblem,
  ProblemError,
  Stratalog,
  TimeoutError,
  UnreachableError,
} from '../../packages/client/src/index.ts';
import { backoffMs } from '../../packages/client/src/backoff.ts';
import { SeenPosition } from '../../packages/client/src/seen-position.ts';
import { positionToken } from '../../src/domain/position.ts';
import { cutShort, fakeFetch, json, problem } from '../support/fake-fetch.ts';

const logId = '0192a3b4-c5d6-7e8f-9a0b-c1d2e3f4a5b6';
const at = (position: number) => positionToken(logId, position);
const stored = (position: number) => json({ memory: { id: 'm1', revision: 0 }, position: at(position) }, 201);
const found = json({ results: [], searchId: 's', position: at(1), warnings: [] });
const refused = new TypeError('fetch failed');

function clientOf(
  script: ReturnType<typeof fakeFetch>,
  options: ConstructorParameters<typeof Stratalog>[0] = {},
): Stratalog {
  return new Stratalog({ url: 'http://server', apiKey: 'key', fetch: script.fetch, ...options });
}

const waiting = () => new Promise<Response>(() => {});

describe('[J3] repetitions', () => {
  it('repeats a command under one idempotency key while the server is busy or cannot be reached', async () => {
    const script = fakeFetch(problem(503, 'unavailable'), refused, problem(429, 'rate-limited'), stored(7));
    const { memory } = await clientOf(script).memories.store({ content: 'a' });
    expect(memory.id).toBe('m1');
    const keys = script.sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('gives each call a key of its own, and a read none', async () => {
    const script = fakeFetch(stored(1));
    const client = clientOf(script);
    await client.memories.store({ content: 'a' });
    await client.memories.store({ content: 'a' });
    await client.memories.store({ content: 'a' }, { idempotencyKey: 'mine' });
    await client.search({ query: 'a' });
    const [first, second, third, fourth] = script.sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(first).not.toBe(second);
    expect(third).toBe('mine');
    expect(fourth).toBeNull();
  });

  it('waits as long as Retry-After asks', async () => {
    const script = fakeFetch(problem(503, 'unavailable', {}, { 'retry-after': '1' }), found);
    await clientOf(script).search({ query: 'a' });
    expect(script.sent[1]!.at).toBeGreaterThanOrEqual(1_000);
  });

  it('gives up at once if the wait would be longer than the time that is left', async () => {
    const script = fakeFetch(problem(503, 'unavailable', {}, { 'retry-after': '10' }));
    const failed = clientOf(script, { timeoutMs: 2_000 }).search({ query: 'a' });
    await expect(failed).rejects.toMatchObject({ code: 'unavailable', retryAfter: 10 });
    expect(script.sent).toHaveLength(1);
  });

  it('repeats a read whose answer was lost in the middle', async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new TypeError('terminated')),
    });
    const script = fakeFetch(() => new Response(broken), found);
    await clientOf(script).search({ query: 'a' });
    expect(script.sent).toHaveLength(2);
  });

  it.each([
    [400, 'validation-failed'],
    [401, 'unauthenticated'],
    [409, 'external-id-taken'],
    [422, 'idempotency-key-reused'],
    [500, 'internal'],
    [503, 'storage-full'],
    [504, 'position-timeout'],
  ])('does not repeat %i %s', async (status, code) => {
    const script = fakeFetch(problem(status, code));
    await expect(clientOf(script).memories.store({ content: 'a' })).rejects.toMatchObject({ status, code });
    expect(script.sent).toHaveLength(1);
  });

  it('ends with the last refusal', async () => {
    const script = fakeFetch(problem(503, 'unavailable'), refused);
    await expect(clientOf(script, { retries: 1 }).search({ query: 'a' })).rejects.toThrow(UnreachableError);
    expect(script.sent).toHaveLength(2);
  });

  it('doubles the waits, spreads them, and never comes before Retry-After', () => {
    expect(backoffMs(0, 0, () => 0)).toBe(125);
    expect(backoffMs(0, 0, () => 1)).toBe(250);
    expect(backoffMs(3, 0, () => 1)).toBe(2_000);
    expect(backoffMs(30, 0, () => 1)).toBe(8_000);
    expect(backoffMs(0, 5, () => 0)).toBe(5_000);
    expect(backoffMs(0, 5, () => 1)).toBe(5_250);
  });
});

describe('[J3] positions', () => {
  it('sends the latest position of its commands with each read, in the query or in the body', async () => {
    const script = fakeFetch(found, stored(40), found);
    const client = clientOf(script);
    await client.search({ query: 'before' });
    await client.memories.store({ content: 'a' });
    expect(client.position).toBe(at(40));
    await client.search({ query: 'a' });
    await client.memories.list({ tag: ['x', 'y'], filter: { layer: { eq: 'team' } } });
    const [, , search, list] = script.sent;
    expect(search!.body).toEqual({ query: 'a', minPosition: at(40), waitMs: 30_000 });
    expect(Object.fromEntries(list!.url.searchParams)).toMatchObject({ minPosition: at(40) });
    expect(list!.url.searchParams.getAll('tag')).toEqual(['x', 'y']);
    expect(list!.url.searchParams.get('filter')).toBe('{"layer":{"eq":"team"}}');
  });

  it('keeps the latest one of those with a number, whatever order the answers come in', () => {
    const seen = new SeenPosition();
    for (const position of [35, 36, 12, 1_295, 1_296, 40]) seen.add(at(position));
    expect(seen.latest).toBe(at(1_296));
    seen.add(`${at(1_297)}~0123456789`);
    expect(seen.latest).toBe(`${at(1_297)}~0123456789`);
    const other = positionToken('ffffffff-ffff-ffff-ffff-ffffffffffff', 1);
    seen.add(other);
    expect(seen.latest).toBe(other);
  });

  it('names all opaque ones that no read has included yet, since they cannot be compared', async () => {
    const opaque = (digit: string) => `${at(0).split('-')[0]}-${digit.repeat(32)}`;
    const answer = (position: string) => json({ results: [], searchId: 's', position, warnings: [] });
    const command = (position: string) => json({ memory: { id: 'm1', revision: 0 }, position }, 201);
    const script = fakeFetch(
      command(opaque('a')),
      command(opaque('b')),
      answer(opaque('c')),
      command(opaque('d')),
      answer(opaque('e')),
    );
    const client = clientOf(script);
    await client.memories.store({ content: 'a' });
    await client.memories.store({ content: 'told again' });
    await client.search({ query: 'a' });
    await client.memories.store({ content: 'b' });
    await client.search({ query: 'a', asOf: at(7) });
    expect(script.sent[2]!.body).toMatchObject({ minPosition: `${opaque('a')},${opaque('b')}` });
    expect(script.sent[4]!.body).toMatchObject({ minPosition: `${opaque('c')},${opaque('d')}` });
    // The answer about a past says nothing of now.
    expect(client.position).toBe(`${opaque('c')},${opaque('d')}`);
  });

  it('keeps the latest hundred opaque ones', () => {
    const seen = new SeenPosition();
    const opaque = (n: number) => `0123456789ab-${n.toString(16).padStart(32, '0')}`;
    for (let n = 1; n <= 150; n++) seen.add(opaque(n));
    seen.add(`${opaque(60)},${opaque(151)}`);
    const kept = seen.latest!.split(',');
    expect(kept).toHaveLength(100);
    expect(kept.slice(-2)).toEqual([opaque(60), opaque(151)]);
    seen.forget(seen.latest!);
    expect(seen.latest).toBeUndefined();
  });

  it('leaves a position that the caller names, and sends none if that is switched off', async () => {
    const script = fakeFetch(stored(40), found);
    const client = clientOf(script);
    await client.memories.store({ content: 'a' });
    await client.search({ query: 'a', minPosition: at(2), waitMs: 5 });
    expect(script.sent[1]!.body).toEqual({ query: 'a', minPosition: at(2), waitMs: 5 });
    const other = fakeFetch(stored(40), found);
    const without = clientOf(other, { readYourWrites: false });
    await without.memories.store({ content: 'a' });
    await without.search({ query: 'a' });
    expect(other.sent[1]!.body).toEqual({ query: 'a' });
  });

  it('shares positions with a client for another user, and takes those of others', async () => {
    const script = fakeFetch(stored(40), found);
    const client = clientOf(script);
    const forUser = client.onBehalfOf('zoë');
    await client.memories.store({ content: 'a' });
    await forUser.search({ query: 'a' });
    expect(script.sent[1]!.body).toMatchObject({ minPosition: at(40) });
    expect(Buffer.from(script.sent[1]!.headers.get('x-on-behalf-of')!, 'latin1').toString()).toBe('zoë');
    expect(script.sent[0]!.headers.has('x-on-behalf-of')).toBe(false);
    client.remember(at(50));
    expect(forUser.position).toBe(at(50));
  });

  it('forgets a position of a log that was replaced, and asks again without it', async () => {
    const errors = [{ path: 'minPosition', message: 'is not a position of this log' }];
    const script = fakeFetch(stored(40), problem(400, 'position-unknown', { errors }), found);
    const client = clientOf(script);
    await client.memories.store({ content: 'a' });
    await client.search({ query: 'a' });
    expect(script.sent[2]!.body).toEqual({ query: 'a' });
    expect(client.position).toBeUndefined();
  });

  it('reports a position that the caller named and the server does not know', async () => {
    const errors = [{ path: 'asOf', message: 'must be a position' }];
    const script = fakeFetch(stored(40), problem(400, 'position-unknown', { errors }));
    const client = clientOf(script);
    await client.memories.store({ content: 'a' });
    for (const named of [{ minPosition: 'x' }, { asOf: 'x' }]) {
      const failed = client.search({ query: 'a', ...named });
      await expect(failed).rejects.toMatchObject({ code: 'position-unknown' });
    }
    expect(script.sent).toHaveLength(3);
    expect(client.position).toBe(at(40));
  });
});

describe('[J3] errors', () => {
  it('say why, what to do, and which request it was', async () => {
    const errors = [{ path: 'content', message: 'is required' }];
    const script = fakeFetch(problem(400, 'validation-failed', { title: 'Not valid', errors }));
    const error = await clientOf(script)
      .memories.store({ content: '' })
      .catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({
      status: 400,
      code: 'validation-failed',
      title: 'Not valid',
      detail: 'detail of validation-failed',
      errors,
      requestId: 'r1',
      remedy: 'Fix the fields listed in `errors` and send the request again.',
    });
    expect((error as Error).message).toBe(
      'detail of validation-failed (400 validation-failed). Fix the fields listed in `errors` and send the request again.',
    );
  });

  it('are told apart by their code, with the further members of the problem', async () => {
    const script = fakeFetch(problem(409, 'external-id-taken', { memoryId: 'm9' }));
    const error = await clientOf(script)
      .memories.put('x', { content: 'a' })
      .catch((failure: unknown) => failure);
    expect(isProblem(error)).toBe(true);
    expect(isProblem(error, 'not-found')).toBe(false);
    expect(isProblem(error, 'not-found', 'external-id-taken') && error.problem['memoryId']).toBe('m9');
    expect(isProblem(new Error('x'))).toBe(false);
  });

  it('are not thrown for the state of a server that is not ready: it is the answer', async () => {
    const script = fakeFetch(json({ status: 'draining', projections: [] }, 503));
    expect(await clientOf(script).readiness()).toMatchObject({ status: 'draining' });
    expect(script.sent).toHaveLength(1);
  });

  it('name the status where a proxy answers', async () => {
    const script = fakeFetch(new Response('<html>', { status: 403 }));
    await expect(clientOf(script).stats()).rejects.toMatchObject({ code: 'http-403', status: 403 });
    const page = fakeFetch(new Response('<html>'));
    await expect(clientOf(page).stats()).rejects.toThrow('something other than Stratalog answers');
    expect(page.sent).toHaveLength(1);
  });

  it('refuses an address or a key that cannot be one, without the key in the message', () => {
    expect(() => new Stratalog({ url: 'localhost:8080' })).toThrow('url must be an http or https address');
    const failed = () => new Stratalog({ apiKey: 'sécret' });
    expect(failed).toThrow('apiKey must be');
    expect(failed).not.toThrow('sécret');
  });
});

describe('[J3] signals and time limits', () => {
  it('ends a call with the reason of its signal: before it, in it, and while it waits', async () => {
    const reason = new Error('enough');
    const hanging = fakeFetch(waiting);
    await expect(
      clientOf(hanging).search({ query: 'a' }, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    expect(hanging.sent).toHaveLength(0);
    for (const script of [hanging, fakeFetch(problem(503, 'unavailable', {}, { 'retry-after': '30' }))]) {
      const controller = new AbortController();
      const call = clientOf(script).search({ query: 'a' }, { signal: controller.signal });
      setTimeout(() => controller.abort(reason), 20);
      await expect(call).rejects.toBe(reason);
      expect(script.sent).toHaveLength(1);
    }
  });

  it('refuses a reason of two lines, which no header holds', async () => {
    const script = fakeFetch(stored(1));
    const call = clientOf(script).memories.store({ content: 'a' }, { reason: 'one\ntwo' });
    await expect(call).rejects.toThrow('reason must be one line');
    expect(script.sent).toHaveLength(0);
  });

  it('has no limit if the limit is infinite', async () => {
    const script = fakeFetch(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return found.clone();
    });
    await clientOf(script, { timeoutMs: Infinity }).search({ query: 'a' });
    expect(script.sent).toHaveLength(1);
  });

  it('ends a call that takes too long, repetitions included', async () => {
    const script = fakeFetch(waiting);
    const client = clientOf(script, { timeoutMs: 30 });
    await expect(client.stats()).rejects.toThrow(TimeoutError);
    await expect(client.stats({}, { timeoutMs: 10 })).rejects.toThrow('no answer within 10 ms');
    expect(script.sent).toHaveLength(2);
  });
});

describe('[J3] lists', () => {
  const pages = [
    json({ items: [{ id: 'a' }, { id: 'b' }], nextCursor: 'c1', position: at(1) }),
    json({ items: [{ id: 'c' }], position: at(1) }),
  ];

  it('answer one page when awaited, and all items when iterated', async () => {
    const script = fakeFetch(pages[0]!, ...pages);
    const client = clientOf(script);
    const page = await client.memories.list({ layer: ['team'], limit: 2 });
    expect(page.nextCursor).toBe('c1');
    const ids = [];
    for await (const { id } of client.memories.list({ layer: ['team'] })) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(script.sent.map(({ url }) => url.search)).toEqual([
      '?layer=team&limit=2',
      '?layer=team&limit=500',
      '?layer=team&limit=500&cursor=c1',
    ]);
  });

  it('have one shape, also where the server sends all items in one answer', async () => {
    const one = { id: 'a', content: 'One.' };
    const warnings = [{ code: 'budget-exhausted', detail: '' }];
    const script = fakeFetch(
      json({ items: [one], position: at(1) }),
      json({ items: [one], position: at(1) }),
      json({ items: [one], position: at(1), warnings }),
      json({ summary: one, position: at(1), warnings }),
      json({ summary: null, position: at(1), warnings }),
    );
    const { memories, reasoning, summaries } = clientOf(script);
    const named = { layer: 'company', depth: 'sentence' } as const;
    expect((await memories.list()).items).toEqual([one]);
    expect((await reasoning.strategies()).items).toEqual([one]);
    expect(await summaries.list()).toEqual({ items: [one], position: at(1), warnings });
    expect(await summaries.list(named).toArray()).toEqual([one]);
    for await (const summary of summaries.list(named)) expect.fail(`there is no ${summary.content}`);
    // Summaries have no pages, and the server refuses a limit.
    expect(script.sent.slice(2).map(({ url }) => url.search)).toEqual([
      '',
      '?layer=company&depth=sentence',
      '?layer=company&depth=sentence',
    ]);
  });

  it('ask for nothing before they are used, and for no page that is not reached', async () => {
    const script = fakeFetch(...pages);
    const list = clientOf(script).memories.history('m/1');
    expect(script.sent).toHaveLength(0);
    for await (const _ of list) break;
    expect(script.sent).toHaveLength(1);
    expect(script.sent[0]!.url.pathname).toBe('/v1/memories/m%2F1/history');
  });
});

describe('[J3] changes', () => {
  it('send revision, reason and cause; an update takes any revision by default', async () => {
    const script = fakeFetch(stored(1));
    const { memories } = clientOf(script);
    await memories.update('m1', { tags: null });
    await memories.update('m1', { content: 'b' }, { ifMatch: 3, reason: 'größer 🙂', cause: 'llm' });
    await memories.delete('m1');
    const [first, second, third] = script.sent.map(({ headers }) => headers);
    expect(first!.get('if-match')).toBe('*');
    expect(second!.get('if-match')).toBe('"3"');
    expect(Buffer.from(second!.get('x-reason')!, 'latin1').toString()).toBe('größer 🙂');
    expect(second!.get('x-cause')).toBe('llm');
    expect(third!.has('if-match')).toBe(false);
  });
});

describe('[J3] streams', () => {
  const line = (position: number) => `${JSON.stringify({ id: `e${position}`, position: at(position) })}\n`;

  it('continues the events where the connection was lost', async () => {
    const cut = () => cutShort(line(1) + line(2).slice(0, 9));
    const script = fakeFetch(cut, () => new Response(line(2) + line(3)));
    const ids = [];
    for await (const { id } of clientOf(script).audit.stream({ type: ['MemoryStored'] })) ids.push(id);
    expect(ids).toEqual(['e1', 'e2', 'e3']);
    expect(script.sent.map(({ url }) => url.searchParams.get('after'))).toEqual([null, at(1)]);
    expect(script.sent[0]!.headers.get('accept')).toBe('application/x-ndjson');
  });

  it('gives up a stream that is cut again and again without an event', async () => {
    const script = fakeFetch(() => new Response('{"id":'));
    const events = clientOf(script, { retries: 1 }).audit.stream();
    await expect(events.next()).rejects.toMatchObject({ name: 'ConnectionLostError' });
    expect(script.sent).toHaveLength(2);
  });

  it('ends when its signal is aborted, even while it waits to reconnect', async () => {
    const controller = new AbortController();
    const script = fakeFetch(() => new Response(`${line(1)}{"id":`));
    const events = clientOf(script).audit.follow({}, { signal: controller.signal });
    await events.next();
    const next = events.next();
    setTimeout(() => controller.abort(new Error('enough')), 20);
    await expect(next).rejects.toThrow('enough');
    expect(script.sent).toHaveLength(1);
  });
});
