import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import {
  neverAnswers,
  scriptedLanguageModel,
  type ScriptedLanguageModel,
} from '../support/scripted-language-model.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { summarizes } from '../support/summarizing-server.ts';

const within = { timeout: 30_000, interval: 100 };
let dataDir: string;
let llm: ScriptedLanguageModel;
let server: TestServer;
let admin: Client;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'stratalog-summary-kill-'));
  llm = await scriptedLanguageModel(['gpt-4o']);
  server = await start();
  admin = await clientWithKey(server, { tenant: freshTenant(), role: 'admin' });
});

afterAll(async () => {
  await server.remove();
  await llm.close();
  await rm(dataDir, { recursive: true, force: true });
});

const start = (): Promise<TestServer> =>
  startServer({
    dataDir,
    environment: {
      STRATALOG_PROFILE: 'embedded',
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_LLM_BASE_URL: llm.baseURL,
      STRATALOG_LLM_MODEL: 'gpt-4o',
      STRATALOG_LLM_CHEAP_MODEL: 'gpt-4o',
      STRATALOG_SUMMARY_TIMEOUT: '60',
    },
  });

const refresh = () => admin.post('/v1/summaries/refresh', { layer: 'company', depths: ['sentence'] });
const recorded = async (type: string): Promise<Json[]> =>
  (await auditEvents(admin, `type=${type}`)).map(({ data }) => data);

it('[E7] a kill in the middle of a generation doubles no summary and no call, and the next one is made as usual', async () => {
  llm.otherwise(neverAnswers);
  await admin.store({ layer: 'company', content: 'Releases are cut on Mondays.' });
  expect((await refresh()).status).toBe(202);
  await expect.poll(() => llm.requests.length, within).toBe(1);
  await server.stop('SIGKILL');

  llm.otherwise(summarizes());
  server = await start();
  admin = clientOf(server, admin.key!);
  await expect
    .poll(() => recorded('SummaryGenerated'), within)
    .toMatchObject([{ model: 'extractive-1', fallback: 'interrupted' }]);
  expect(llm.requests).toHaveLength(1);
  expect(await recorded('CostReserved')).toHaveLength(1);
  expect(await recorded('CostIncurred')).toEqual([]);

  await refresh();
  await expect
    .poll(() => recorded('SummaryGenerated'), within)
    .toMatchObject([{ model: 'extractive-1' }, { model: 'gpt-4o' }]);
  await expect.poll(() => recorded('CostIncurred'), within).toHaveLength(1);
  expect(llm.requests).toHaveLength(2);
}, 120_000);
