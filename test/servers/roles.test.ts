import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { stratalogAs } from '../support/cli.ts';
import { freshBackEnds, type FreshBackEnds } from '../support/back-ends.ts';
import { metricsOf } from '../support/metrics.ts';
import { readModelNames } from '../support/read-model-names.ts';
import { startServer, type TestServer } from '../support/server.ts';

const wait = 'waitMs=30000';

describe.each(['postgres', 'cluster'] as const)(
  'the journey of a memory through processes of one role each, profile %s',
  (profile) => {
    let backEnds: FreshBackEnds;
    let api: TestServer;
    let client: Client;
    const others = new Map<string, TestServer>();
    const vaultKey = randomBytes(32).toString('base64');

    async function start(role: string): Promise<TestServer> {
      return startServer({
        args: ['--role', role],
        environment: {
          STRATALOG_PROFILE: profile,
          STRATALOG_EMBEDDER: 'deterministic',
          STRATALOG_VAULT_KEY: vaultKey,
          ...backEnds.environment,
        },
      });
    }

    beforeAll(async () => {
      backEnds = await freshBackEnds(profile);
      api = await start('api');
      client = await clientWithKey(api, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    });

    afterAll(async () => {
      await Promise.all([api, ...others.values()].map((server) => server?.remove()));
      await backEnds.remove();
    });

    it('[G1] a single api process executes commands and returns memories, and reports that its read models are behind', async () => {
      const { memory, position } = await client.store({ content: 'stored before any projector ran' });
      expect((await client.get(`/v1/memories/${memory.id}`)).body.content).toBe(memory.content);
      const list = await client.get(`/v1/memories?minPosition=${position}&waitMs=200`);
      expect(list).toMatchObject({ status: 504, body: { code: 'position-timeout' } });
    });

    it('[G1] a projector, and on the cluster a relay, bring the read models up to date, and a worker completes', async () => {
      const roles = profile === 'cluster' ? ['relay', 'projector', 'worker'] : ['projector', 'worker'];
      await Promise.all(roles.map(async (role) => others.set(role, await start(role))));
      const { memory, position } = await client.store({ content: 'found once every role is there' });
      const list = await client.get(`/v1/memories?minPosition=${position}&${wait}`);
      expect(list.body.items.map(({ id }: { id: string }) => id)).toContain(memory.id);
      const body = { query: 'found once every role is there', minPosition: position, waitMs: 30_000 };
      const found = await client.post('/v1/search', body);
      expect(found.body.results[0].memory.id).toBe(memory.id);
    });

    it('[J7] a process without an API serves only its health and metrics', async () => {
      for (const [role, process] of others) {
        const outside = clientOf(process);
        await vi.waitFor(async () => {
          const { status, body } = await outside.get('/readyz');
          expect(body).toMatchObject({ status: 'ready', profile, roles: [role] });
          expect(status).toBe(200);
        }, 20_000);
        expect((await outside.get('/livez')).status).toBe(200);
        const metrics = await metricsOf(process);
        expect(metrics.has('stratalog_relay_lag')).toBe(role === 'relay');
        expect((await clientOf(process, client.key).get('/v1/memories')).status).toBe(404);
      }
    });

    it('[G1] a second projector can start and the first one stop without an interruption', async () => {
      const first = others.get('projector')!;
      others.set('second projector', await start('projector'));
      await first.stop('SIGKILL');
      const { memory, position } = await client.store({ content: 'projected by whoever is left' });
      const list = await client.get(`/v1/memories?minPosition=${position}&${wait}`);
      expect(list.status).toBe(200);
      expect(list.body.items[0].id).toBe(memory.id);
    });

    it('[A4] [E8] [C1] an answer, a context and the outcome of both are recorded, whichever process does the work', async () => {
      const scope = { user: 'ada' };
      const texts = ['The ferry to Lisbon leaves at nine.', 'The harbour is closed on Sundays.'];
      const stored = [];
      for (const content of texts) stored.push(await client.store({ content, layer: 'user', scope }));
      const { position: minPosition } = stored.at(-1)!;
      const query = 'When does the ferry to Lisbon leave?';
      const found = await client.post('/v1/search', { query, scope, minPosition, waitMs: 30_000 });
      expect(found.body.results[0].memory.content).toBe(texts[0]);
      const built = await client.post('/v1/context', {
        query,
        scope,
        tokenBudget: 500,
        minPosition,
        waitMs: 30_000,
      });
      expect(built.body.text).toContain(texts[0]);
      const { searchId } = found.body;
      const used = [stored[0]!.memory.id];
      const { status, body } = await client.post(`/v1/searches/${searchId}/outcome`, { used });
      expect(status).toBe(200);
      const audited = await client.get(`/v1/audit/searches/${searchId}?minPosition=${body.position}&${wait}`);
      expect(audited.body.outcome).toMatchObject({ kind: 'used', explicit: true, source: 'caller' });
    });

    it('[F6] an erased memory is in no answer, and its key is destroyed', async () => {
      const { memory } = await client.store({ content: 'the password is quartzite' });
      const erased = await client.delete(`/v1/memories/${memory.id}?mode=erase`);
      const { position: minPosition } = erased.body;
      const found = await client.post('/v1/search', {
        query: 'quartzite',
        threshold: 0,
        minPosition,
        waitMs: 30_000,
      });
      expect(JSON.stringify(found.body.results)).not.toContain('quartzite');
      expect((await client.get(`/v1/memories/${memory.id}`)).body).not.toHaveProperty('content');
      await vi.waitFor(async () => {
        const { reactors } = (await client.get('/readyz')).body;
        expect(reactors).toContainEqual(
          expect.objectContaining({ name: 'erasures', lock: 'elsewhere', parked: 0 }),
        );
      }, 20_000);
    });

    it('[F4] every read model is rebuilt beside the live one to an equal digest, and switched', async () => {
      const { stdout, stderr, code } = await stratalogAs(
        api,
        client,
        'projections',
        'rebuild',
        '--switch',
        '--json',
      );
      expect(code, stderr).toBe(0);
      const rebuilt = JSON.parse(stdout) as Json[];
      expect(rebuilt.map(({ name }) => name).sort()).toEqual([...readModelNames].sort());
      for (const one of rebuilt) expect(one).toMatchObject({ equal: true, switched: true });
      const found = await client.post('/v1/search', { query: 'found once every role is there' });
      expect(found.body.results[0].memory.content).toBe('found once every role is there');
    });
  },
);
