import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { faultSeed, randomOf } from '../support/random.ts';
import {
  inputOf,
  says,
  scriptedLanguageModel,
  type ChatRequest,
  type ScriptedLanguageModel,
} from '../support/scripted-language-model.ts';
import { startServer, type TestServer } from '../support/server.ts';

const seed = faultSeed('fact-kill');
const conversations = 24;
const kills = 5;
const docks = ['north', 'south', 'east'];
const shared = 'The harbour opens at six.';

/** What is said in one conversation: something new for each dock, and what all others say too. */
const textsOf = (n: number) => [...docks.map((dock) => `Boat ${n} lies in the ${dock} dock.`), shared];

describe('a server that is killed while it draws facts from conversations', () => {
  const random = randomOf(seed);
  let llm: ScriptedLanguageModel;
  let dataDir: string;
  let server: TestServer;
  let key: string;
  let environment: Record<string, string>;
  const admin = (): Client => clientOf(server, key);
  beforeAll(async () => {
    llm = await scriptedLanguageModel(['gpt-4o']);
    // Every turn is a fact, in its own words.
    llm.otherwise(
      says((request: ChatRequest) => ({
        facts: (inputOf(request)['turns'] as readonly Json[]).map(({ number, text }) => ({
          text,
          turns: [number],
        })),
      })),
    );
    environment = {
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_LLM_BASE_URL: llm.baseURL,
      STRATALOG_LLM_MODEL: 'gpt-4o',
      STRATALOG_SUMMARIES: 'extractive',
    };
    dataDir = await mkdtemp(path.join(tmpdir(), 'stratalog-'));
    server = await startServer({ dataDir, environment });
    key = (await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'mia' })).key!;
  });
  afterAll(async () => {
    await server.remove();
    await llm.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const eventsOf = async (type: string): Promise<Json[]> => auditEvents(admin(), `type=${type}`);
  const facts = async (): Promise<Json[]> =>
    (await admin().get('/v1/memories?layer=user&limit=500')).body.items;

  it('[H10] [F1] loses no fact, and tells none twice', async () => {
    for (let n = 0; n < conversations; n++) {
      const messages = textsOf(n).map((content) => ({ role: 'user', name: 'Mia', content }));
      const reply = await admin().post('/v1/conversations', { messages, sessionId: `s${n}` });
      expect(reply.body).toMatchObject({ facts: 'pending' });
    }
    const drawnAtKills: number[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const before = (await facts()).length;
      await expect
        .poll(async () => (await facts()).length, { timeout: 60_000, interval: 10 })
        .toBeGreaterThan(before);
      await sleep(random.int(0, 150));
      await server.stop('SIGKILL');
      server = await startServer({ dataDir, environment });
      drawnAtKills.push((await eventsOf('FactsDrawn')).length);
    }
    // More than one kill fell while facts were being told, or the test shows nothing.
    expect(drawnAtKills.filter((drawn) => drawn < conversations).length).toBeGreaterThan(1);
    await expect
      .poll(async () => (await eventsOf('FactsDrawn')).length, { timeout: 120_000, interval: 200 })
      .toBe(conversations);

    const own = conversations * docks.length;
    const all = await facts();
    expect(all.map(({ content }) => content).sort()).toEqual(
      [...Array.from({ length: conversations }, (_, n) => textsOf(n).slice(0, -1)).flat(), shared].sort(),
    );
    expect(all.find(({ content }) => content === shared)).toMatchObject({ affirmations: conversations - 1 });
    expect(await eventsOf('FactsProposed')).toHaveLength(conversations);
    expect(await eventsOf('MemoryAffirmed')).toHaveLength(conversations - 1);
    expect(await eventsOf('MemoryStored')).toHaveLength(conversations * (docks.length + 1) + own + 1);
    const sources = (await eventsOf('MemoriesLinked')).filter(({ data }) => data.type === 'derived_from');
    expect(sources).toHaveLength(own + 1);
  });
});
