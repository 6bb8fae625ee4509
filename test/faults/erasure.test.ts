import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { record } from '../support/attempts.ts';
import { textsIn } from '../support/bytes-of-folder.ts';
import { startServer, type TestServer } from '../support/server.ts';

const within = { timeout: 120_000, interval: 200 };

/** Texts by the field that they are given in. A word's end is left out of what is looked for: stemming may change it. */
class Canaries {
  readonly #root = `qz${letters(10)}`;
  readonly #texts: Record<string, string> = {};

  in(field: string): string {
    this.#texts[field] ??= `${this.#root}${letters(6)}`;
    return `${this.#texts[field]}ovik`;
  }

  /** The fields whose canaries are in files of the folder, with the names of the files. */
  foundIn(folder: string): Promise<Record<string, string[]>> {
    return textsIn(folder, this.#root, this.#texts);
  }
}

function letters(length: number): string {
  return Array.from({ length }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('');
}

const ok = (reply: Json): Json => {
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
  return reply.body;
};

/** Gives a canary in every field that takes a text, as alice and about alice. */
async function tell(alice: Client, canaries: Canaries): Promise<void> {
  const c = (field: string) => canaries.in(field);
  const reason = (call: string) => ({ 'x-reason': c(`reason of ${call}`) });
  const layer = 'user';
  const fields = {
    content: `The password is ${c('content')}. It is under the desk.`,
    externalId: c('externalId'),
    tags: [c('tag')],
    metadata: { [c('metadata name')]: c('metadata value') },
    representations: { natural_language: c('representation') },
  };
  const { memory } = ok(await alice.post('/v1/memories', { ...fields, layer }, reason('store')));
  const id = `/v1/memories/${memory.id}`;
  ok(
    await alice.put(
      `/v1/memories/external/${c('externalId of put')}`,
      { content: `The key is ${c('content of put')}`, layer },
      { 'idempotency-key': c('idempotency key') },
    ),
  );
  const changed = {
    content: `The new password is ${c('changed content')}.`,
    metadata: { room: c('changed metadata') },
  };
  ok(await alice.patch(id, changed, { 'if-match': '*', ...reason('update') }));
  await alice.bulk([{ content: `A fact about ${c('content of bulk')}.`, layer, tags: [c('tag of bulk')] }]);
  const { memory: gone } = ok(
    await alice.post('/v1/memories', { content: `Deleted: ${c('deleted content')}`, layer }),
  );
  ok(await alice.delete(`/v1/memories/${gone.id}`, reason('delete')));
  const { memory: shared } = ok(
    await alice.post('/v1/memories', {
      content: `The team meets for ${c('content in a team')}.`,
      layer: 'team',
      scope: { team: 'search' },
      subject: 'alice',
    }),
  );
  const search = {
    query: `Where is the password ${c('query')}?`,
    threshold: 0,
    sessionId: c('session'),
    tags: [c('tag of search')],
    filter: { 'metadata.room': { eq: c('filter') } },
  };
  ok(await alice.post('/v1/search', search, reason('search')));
  const { searchId, results } = ok(
    await alice.post('/v1/search', { query: `password ${c('judged question')}`, threshold: 0 }),
  );
  expect(results.length).toBeGreaterThan(0);
  ok(await alice.post(`/v1/searches/${searchId}/outcome`, { used: [memory.id] }, reason('outcome')));
  const feedback = { kind: 'helpful', searchId, note: c('note') };
  ok(await alice.post(`${id}/feedback`, feedback, reason('feedback')));
  ok(
    await alice.post('/v1/context', {
      query: `What about ${c('context')}?`,
      tokenBudget: 400,
      sessionId: c('session of context'),
    }),
  );
  ok(await alice.post('/v1/reasoning/multi-hop', { query: `Who has the password of ${c('multi-hop')}?` }));
  ok(
    await alice.post('/v1/reasoning/search', {
      query: `Find the password ${c('search with experience')}`,
      threshold: 0,
    }),
  );
  ok(
    await alice.post('/v1/search', {
      query: `Compare ${c('complex question')} of Lisbon and Porto and summarize both`,
      threshold: 0,
    }),
  );
  ok(await alice.post(`/v1/sessions/${c('ended session')}/end`, {}, reason('end of session')));
  for (const n of [1, 2])
    await record(alice, {
      query: `Find the password of ${c('attempt')}`,
      approach: `asked ${c('approach')}`,
      strategy: { [c('strategy name')]: c('strategy value') },
      successFactors: [c('success factor')],
      sessionId: c('session of attempt'),
      memoriesUsed: [memory.id],
      executionTimeMs: n,
    });
  await record(alice, {
    query: `Find the password of ${c('attempt')}`,
    approach: `guessed ${c('failed approach')}`,
    outcome: 'failure',
    failureReason: c('failure reason'),
  });
  ok(await alice.post('/v1/reasoning/history', { query: `What worked for ${c('history')}?` }));
  ok(await alice.post('/v1/summaries/refresh', { layer, scope: { user: 'alice' } }, reason('summary')));
  ok(await alice.put(`${id}/links/related/${shared.id}`, {}, reason('link')));
  // What is derived is there before it is erased.
  await expect
    .poll(async () => (await alice.get('/v1/summaries?layer=user')).body.items?.length ?? 0, within)
    .toBeGreaterThan(0);
  await expect
    .poll(async () => (await alice.get('/v1/reasoning/strategies')).body.items?.length ?? 0, within)
    .toBeGreaterThan(0);
}

describe('the erasure of a person', () => {
  const folders: string[] = [];
  const servers: TestServer[] = [];

  async function serve(dataDir?: string): Promise<TestServer> {
    const folder = dataDir ?? (await mkdtemp(path.join(tmpdir(), 'stratalog-')));
    if (!folders.includes(folder)) folders.push(folder);
    const environment = { STRATALOG_EMBEDDER: 'deterministic', STRATALOG_CHECKPOINT_INTERVAL: '1' };
    const server = await startServer({ dataDir: folder, environment });
    servers.push(server);
    return server;
  }

  afterAll(async () => {
    for (const server of servers) await server.stop('SIGKILL');
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  const tenant = freshTenant();
  const receiptOf = async (admin: Client, id: string): Promise<Json> =>
    ok(await admin.get(`/v1/erasures/${id}`));
  const completed = (admin: Client, id: string) =>
    expect.poll(async () => (await receiptOf(admin, id)).state, within).toBe('complete');

  it('[F6] leaves no byte of what was told, in any field of any call, in the files of the data folder', async () => {
    const first = await serve();
    const keys = {
      admin: await clientWithKey(first, { tenant, role: 'admin', user: 'ada' }),
      alice: await clientWithKey(first, { tenant, role: 'member', user: 'alice', teams: ['search'] }),
    };
    const canaries = new Canaries();
    const kept = new Canaries();
    await tell(keys.alice, canaries);
    await keys.admin.store({ content: `Kept: ${kept.in('content of another')}` });
    // At a clean stop everything goes to the files of the tables.
    await first.stop();
    const server = await serve(first.dataDir);
    const [admin, alice] = [clientOf(server, keys.admin.key), clientOf(server, keys.alice.key)];
    const before = await canaries.foundIn(server.dataDir);
    for (const field of ['content', 'approach', 'metadata value'])
      expect(
        before[field]?.some((file) => file.startsWith('pg/base')),
        field,
      ).toBe(true);

    const erase = { reason: 'asked to be forgotten', files: 'immediately' };
    const { receipt } = ok(await admin.post('/v1/subjects/alice/erase', erase));
    await completed(admin, receipt);
    const shown = await receiptOf(admin, receipt);
    const left = shown.surfaces.filter(({ state }: Json) => state === 'pending');
    expect(left).toEqual([]);
    const counts = Object.fromEntries(shown.surfaces.map(({ name, count }: Json) => [name, count]));
    for (const name of ['memories', 'vectors', 'summaries', 'traces', 'attempts of the subject'])
      expect(counts[name], name).toBeGreaterThan(0);
    // Searches go on, and what alice says from now on is stored.
    ok(await alice.post('/v1/search', { query: 'what do I like?' }));
    const later = new Canaries();
    const { memory } = ok(
      await alice.post('/v1/memories', { content: `Later: ${later.in('content')}`, layer: 'user' }),
    );
    expect(ok(await alice.get(`/v1/memories/${memory.id}`)).content).toContain('Later');
    await server.stop();

    expect(await canaries.foundIn(server.dataDir)).toEqual({});
    expect(Object.keys(await kept.foundIn(server.dataDir))).toEqual(['content of another']);
  }, 300_000);

  it('[F6] is completed after the process was killed at any point of it', async () => {
    let server = await serve();
    const admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
    const alice = await clientWithKey(server, { tenant, role: 'member', user: 'alice' });
    const canaries = new Canaries();
    const lines = Array.from({ length: 300 }, (_, n) => ({
      content: `Note ${n} is about ${canaries.in(`content ${n}`)}.`,
      layer: 'user',
      externalId: `note-${n}`,
    }));
    expect((await alice.bulk(lines)).every(({ status }: Json) => status === 201)).toBe(true);
    await record(alice, { query: `Find ${canaries.in('attempt')}` });
    const erase = { reason: 'asked to be forgotten', files: 'immediately' };
    const { receipt } = ok(await admin.post('/v1/subjects/alice/erase', erase));
    for (const ms of [0, 400, 1_200]) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await server.stop('SIGKILL');
      server = await serve(server.dataDir);
    }
    const again = clientOf(server, admin.key);
    await completed(again, receipt);
    const { surfaces, signature } = await receiptOf(again, receipt);
    const counts = Object.fromEntries(surfaces.map(({ name, count }: Json) => [name, count]));
    expect(counts['sealed events of the log']).toBeGreaterThanOrEqual(301);
    expect(signature).toContain(receipt);
    // The externalIds are free again.
    const [line] = lines;
    ok(await clientOf(server, alice.key).post('/v1/memories', { ...line, content: 'Another note.' }));
    await server.stop();
    expect(await canaries.foundIn(server.dataDir)).toEqual({});
  }, 300_000);

  it('[F6] [A3] of one memory has a receipt too, and its files are rewritten', async () => {
    const server = await serve();
    const admin = await clientWithKey(server, { tenant, role: 'admin', user: 'ada' });
    const canaries = new Canaries();
    const { memory } = await admin.store({ content: `The password is ${canaries.in('content')}.` });
    await expect
      .poll(
        async () => (await admin.post('/v1/search', { query: 'password', threshold: 0 })).body.results.length,
        within,
      )
      .toBe(1);
    const erased = ok(await admin.delete(`/v1/memories/${memory.id}?mode=erase&files=immediately`));
    await completed(admin, erased.receipt);
    const { target, surfaces } = await receiptOf(admin, erased.receipt);
    expect(target).toEqual({ kind: 'memory', memoryId: memory.id });
    expect(surfaces.find(({ name }: Json) => name === 'memories').count).toBeGreaterThan(0);
    // Again, it is the same receipt.
    expect(ok(await admin.delete(`/v1/memories/${memory.id}?mode=erase`)).receipt).toBe(erased.receipt);
    await server.stop();
    expect(await canaries.foundIn(server.dataDir)).toEqual({});
  }, 300_000);
});
