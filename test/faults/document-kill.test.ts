import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { faultSeed, randomOf } from '../support/random.ts';
import { startServer, type TestServer } from '../support/server.ts';

const seed = faultSeed('document-kill');
const sections = 400;

/** A document whose sections differ between versions by the number that each third of them names. */
const text = (version: number) =>
  Array.from(
    { length: sections },
    (_, n) => `# Part ${n}\n\nPart ${n} says ${n % 3 === 0 ? version : 'always the same'}.`,
  ).join('\n\n');

describe('a server that is killed while it stores the sections of a document', () => {
  const random = randomOf(seed);
  let dataDir: string;
  let server: TestServer;
  let key: string;
  const admin = (): Client => clientOf(server, key);
  const environment = { STRATALOG_EMBEDDER: 'deterministic' };
  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'stratalog-'));
    server = await startServer({ dataDir, environment });
    key = (await clientWithKey(server, { tenant: freshTenant(), role: 'admin' })).key!;
  });
  afterAll(async () => {
    await server.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Sends a version, kills the server at some moment after the answer, three times, and waits until the document is ready. */
  async function sendAndKill(version: number): Promise<Json> {
    const body = { text: text(version), filename: 'parts.md', layer: 'company' };
    const sent = await admin().put('/v1/documents/external/parts', body);
    expect(sent.status).toBe(202);
    const { id } = sent.body.document;
    for (let kill = 0; kill < 3; kill++) {
      await sleep(random.int(20, 400));
      await server.stop('SIGKILL');
      server = await startServer({ dataDir, environment });
    }
    const document = async () => (await admin().get(`/v1/documents/${id}`)).body.document;
    await expect
      .poll(async () => (await document()).state, { timeout: 120_000, interval: 200 })
      .toBe('ready');
    return document();
  }

  const contents = async (id: string): Promise<string[]> =>
    (await admin().get(`/v1/documents/${id}/memories?limit=500`)).body.items.map(
      ({ content }: Json) => content,
    );

  const memoryEvents = async (): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const { type } of await auditEvents(admin()))
      if (/^Memory(Stored|Updated|Deleted)$/.test(type)) counts[type] = (counts[type] ?? 0) + 1;
    return counts;
  };

  it('[H3] [F1] loses no section, and stores none twice', async () => {
    const document = await sendAndKill(1);
    expect(document).toMatchObject({ memories: sections, skipped: [] });
    expect(await contents(document.id)).toHaveLength(sections);
    expect(await memoryEvents()).toEqual({ MemoryStored: sections });
  });

  it('[H11] [F1] changes the sections that changed, once', async () => {
    const document = await sendAndKill(2);
    expect(document).toMatchObject({ revision: 2, memories: sections });
    const changed = (await contents(document.id)).filter((content) => content.endsWith('says 2.'));
    expect(changed).toHaveLength(Math.ceil(sections / 3));
    expect(await memoryEvents()).toEqual({ MemoryStored: sections, MemoryUpdated: changed.length });
  });
});
