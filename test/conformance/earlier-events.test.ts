import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFolder, type Document } from '../../schemas/event-schemas.ts';
import type { GoldenEvent } from '../../schemas/golden-events.ts';
import { hashOf } from '../../src/adapters/eventstore/codec.ts';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { readRootKeyFile } from '../../src/adapters/vault/root-key.ts';
import { openSqlKeyVault } from '../../src/adapters/vault/sql-key-vault.ts';
import { open, seal } from '../../src/adapters/vault/wrap.ts';
import {
  feedbackStream,
  memoryStream,
  retrievalStream,
  routingStream,
  erasureStream,
  spacesStream,
  valuesStream,
  tenantStream,
} from '../../src/domain/streams.ts';
import type { StoredEvent, StreamName } from '../../src/ports/event-log.ts';
import type { NewKey } from '../../src/ports/key-vault.ts';
import type { Client } from '../support/api.ts';
import { auditEvents } from '../support/events.ts';
import { startServer, testProfile, type TestServer } from '../support/server.ts';
import { newAdmin } from '../support/tenant.ts';

const tenant = 'acme';

/** Before version 4 a search had no scores: the field of that name held relevance, and the default order was by layer. */
const relevanceScaleFields = {
  threshold: undefined,
  relevanceThreshold: 0.7,
  order: 'layer',
  results: [{ memoryId: '0197c1a2-0000-7000-8000-000000000001', rank: 1, relevance: 0.91 }],
};

/** Fields that events of earlier versions lacked, with the values that are shown for them today. */
const missingFields: Readonly<Record<string, object>> = {
  // Never shown.
  'ApiKeyCreated.v1.json': { secretHash: undefined },
  'FeedbackGiven.v1.json': { isAuthoritative: false },
  'RoutingConfigured.v1.json': {
    exploration: true,
    languageModel: true,
    reasoning: {
      enabled: true,
      strategy: 'auto',
      timeoutMs: 3_000,
      cacheSeconds: 3_600,
      cacheEntries: 10_000,
    },
  },
  'SearchPerformed.v1.json': { route: 'standard', ...relevanceScaleFields },
  'SearchPerformed.v2.json': relevanceScaleFields,
  'SearchPerformed.v3.json': relevanceScaleFields,
  'RoutingConfigured.v2.json': { exploration: true },
  'SearchPerformed.v4.json': {},
  'SearchPerformed.v5.json': {},
  'SearchPerformed.v6.json': {},
  'SearchPerformed.v7.json': {},
  'SpaceConfigured.v1.json': {},
  'SpaceConfigured.v2.json': {},
  'BudgetExhausted.v2.json': {},
  'CostIncurred.v2.json': {},
  'CostReserved.v2.json': {},
  'ErasureRequested.v1.json': {},
  'MemoryErased.v1.json': {},
  'MemoryStored.v2.json': {},
  'ValuesCompared.v1.json': {},
  'OutcomeObserved.v1.json': {},
  'ReasoningTraceResolved.v1.json': {},
  'UseObserved.v1.json': {},
  'BudgetExhausted.v1.json': {},
  'CostIncurred.v1.json': {},
  'CostReserved.v1.json': {},
  'MemoriesLinked.v1.json': {},
  'MemoriesUnlinked.v1.json': {},
  'MemoryDeleted.v1.json': {},
  'MemoryStored.v1.json': { contentBytes: 32 },
  'MemoryUpdated.v1.json': { contentBytes: 5 },
  'TrajectoryRecorded.v1.json': { planning: [], reasoning: [] },
  'TrajectoryRecorded.v2.json': {},
  'TrajectoryRecorded.v3.json': {},
  'TrajectoryRecorded.v4.json': {},
};

const golden = (await readFolder(path.resolve('schemas/golden'))) as ReadonlyMap<
  string,
  Document & GoldenEvent
>;
const earlier = [...golden]
  .filter(
    ([
      ,
      {
        recorded: { type, schemaVersion },
      },
    ]) => golden.has(`${type}.v${schemaVersion + 1}.json`),
  )
  .map(([file, event]) => ({ file, ...event }));

/** A golden event as it was recorded, but in `stream` and encrypted with a key that a vault accepts. */
function recordedIn(
  stream: StreamName,
  { recorded, key }: GoldenEvent,
  { ref, key: newKey }: NewKey,
): StoredEvent {
  const { type, schemaVersion } = recorded;
  const { routing, sealed } = JSON.parse(recorded.data) as { routing: object; sealed: string };
  const plain = open(
    Buffer.from(key!, 'base64'),
    Buffer.from(sealed, 'base64'),
    `${recorded.stream}\n${type}`,
  );
  const data = JSON.stringify({
    routing,
    sealed: seal(newKey, plain, `${stream}\n${type}`).toString('base64'),
  });
  const { hash: _, ...said } = JSON.parse(recorded.metadata);
  const metadata = { ...said, keyId: ref.id };
  const event = { id: uuid(), type, schemaVersion, data };
  const hash = hashOf({ ...event, stream }, metadata);
  return { ...event, metadata: JSON.stringify({ ...metadata, hash }) };
}

function streamOf({ recorded, data }: GoldenEvent): StreamName {
  const { searchId, memoryId } = data as { searchId?: string; memoryId?: string };
  if (recorded.type === 'SpaceConfigured') return spacesStream(tenant);
  if (recorded.type === 'FeedbackGiven') return feedbackStream(tenant, memoryId!);
  // Of another memory than the one that is stored and changed.
  if (recorded.type === 'MemoryErased') return memoryStream(tenant, uuid());
  if (recorded.type === 'ValuesCompared') return valuesStream(tenant);
  if (recorded.type === 'ErasureRequested') return erasureStream(tenant, uuid());
  if (recorded.type.startsWith('Memory')) return memoryStream(tenant, memoryId!);
  if (searchId !== undefined) return retrievalStream(tenant, searchId);
  return recorded.type === 'ApiKeyCreated' ? tenantStream(tenant) : routingStream(tenant);
}

/** Writes the golden events of all earlier versions into the log of a data folder, as those versions left them. */
async function fill(dataDir: string): Promise<void> {
  const sql = await openPglite({ dataDir });
  const vault = await openSqlKeyVault(sql, await readRootKeyFile(path.join(dataDir, 'vault.key')));
  const log = await openSqlEventLog(sql);
  for (const event of earlier) {
    const stream = streamOf(event);
    const newKey = await vault.draft({ tenant, id: uuid(), subject: 'ef'.repeat(16) });
    await log.append(stream, 'any', [recordedIn(stream, event, newKey)], newKey);
  }
  await log.close();
  await vault.close();
  await sql.close();
}

// Only the embedded profile has a data folder.
describe.skipIf(testProfile !== 'embedded')('[F9] events of earlier versions in a data folder', () => {
  let dataDir: string;
  let server: TestServer;
  let admin: Client;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'stratalog-earlier-'));
    await fill(dataDir);
    server = await startServer({ dataDir, environment: { STRATALOG_EMBEDDER: 'deterministic' } });
    admin = await newAdmin(server, tenant);
  });
  afterAll(async () => {
    await server?.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('appear in the audit in the current format, decrypted and with defaults for missing fields', async () => {
    expect(earlier.map(({ file }) => file).sort()).toEqual(Object.keys(missingFields).sort());
    const { position, memory } = await admin.store({ content: 'a mark at the end of the log' });
    const types = [...new Set(earlier.map(({ recorded }) => recorded.type))];
    const shown = await auditEvents(admin, types.map((type) => `type=${type}`).join('&'), position);
    // The key of this test's admin, the mark, and the receipt of the earlier erasure are of the current version.
    const old = shown.filter(
      ({ type, actor, data }) =>
        (type !== 'ApiKeyCreated' || actor !== 'master') &&
        (type !== 'ErasureRequested' || actor !== 'system') &&
        data.memoryId !== memory.id,
    );
    expect(old.map(({ type, reason, data }) => ({ type, reason, data }))).toEqual(
      earlier.map(({ file, recorded: { type }, reason, data }) => ({
        type,
        reason,
        data: { ...data, ...missingFields[file] },
      })),
    );
  });

  it('of a search and its trajectory appear as one current search', async () => {
    const [search, trajectory] = ['SearchPerformed', 'TrajectoryRecorded'].map(
      (type) => golden.get(`${type}.v1.json`)!.data as { searchId: string; query: string; outcome?: string },
    );
    const { status, body } = await admin.get(`/v1/audit/searches/${search!.searchId}`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({
      request: { query: search!.query },
      route: 'standard',
      trajectory: { outcome: trajectory!.outcome, planning: [], reasoning: [] },
    });
  });

  it('still determine how questions are routed', async () => {
    // The latest in the log.
    const { data } = golden.get('RoutingConfigured.v2.json')!;
    const { body } = await admin.get('/v1/admin/routing');
    expect(body.settings).toEqual({ ...data, ...missingFields['RoutingConfigured.v2.json'] });
  });
});
