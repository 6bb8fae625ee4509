import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { SealedEventStore } from '../../src/adapters/eventstore/sealed-event-store.ts';
import { migrate } from '../../src/adapters/migrate.ts';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { openSqlKeyVault } from '../../src/adapters/vault/sql-key-vault.ts';
import type { EventLog, StreamName } from '../../src/ports/event-log.ts';
import type { EventContext } from '../../src/ports/event-store.ts';
import type { Sql } from '../../src/ports/sql.ts';
import type { KeyRef, KeyVault } from '../../src/ports/key-vault.ts';
import { reactorSchema } from '../../src/follow/schema.ts';
import { projectionSchema } from '../../src/projections/schema.ts';
import { decide, initialState, type MemoryValue } from '../../src/domain/memory/memory.ts';
import { memoryStream } from '../../src/domain/streams.ts';
import { FaultySql } from './faulty-sql.ts';

/** A log, a vault and an event store in one database, with the tables that projections need. */
export interface TestStore {
  readonly sql: FaultySql;
  readonly log: EventLog;
  readonly vault: KeyVault;
  readonly rootKey: Uint8Array;
  readonly store: SealedEventStore;
  close(): Promise<void>;
}

/** Opens a store in memory, or in the given database. `close` closes the database too. */
export async function openTestStore(
  database?: Sql,
  rootKey: Uint8Array = randomBytes(32),
): Promise<TestStore> {
  const sql = new FaultySql(database ?? (await openPglite()));
  const vault = await openSqlKeyVault(sql, rootKey);
  const log = await openSqlEventLog(sql);
  await migrate(sql, 'projections', projectionSchema);
  await migrate(sql, 'processors', reactorSchema);
  return {
    sql,
    log,
    vault,
    rootKey,
    store: new SealedEventStore(log, vault),
    async close() {
      sql.fault = () => undefined;
      await log.close();
      await vault.close();
      await sql.close();
    },
  };
}

export function testContext(more: Partial<EventContext> = {}): EventContext {
  return {
    tenant: 'acme',
    actor: 'user:alice',
    principal: 'key:1',
    cause: 'user',
    correlationId: 'request-1',
    ...more,
  };
}

export function memoryKey(id: string = uuid(), tenant = 'acme'): KeyRef {
  return { tenant, id, subject: `subject of ${id}` };
}

export function memoryValue(more: Partial<MemoryValue> = {}): MemoryValue {
  return {
    id: uuid(),
    content: 'tea is brewed at 80 degrees',
    layer: 'user',
    scope: { user: 'alice' },
    spaces: [],
    tags: [],
    metadata: {},
    representations: {},
    createdBy: 'user:alice',
    ...more,
  };
}

/** Stores a memory with its own key. */
export async function storeTestMemory(
  { store }: TestStore,
  more: Partial<MemoryValue> = {},
  reason?: string,
) {
  const value = memoryValue(more);
  const stream = memoryStream('acme', value.id);
  const key = memoryKey();
  const events = decide({ type: 'store', value }, initialState);
  const context = testContext({ key, ...(reason !== undefined && { reason }) });
  await store.append(stream, 'noStream', events, context);
  return { value, stream, key, events };
}

/** Changes the text of a memory, with the key of its first event. */
export async function updateTestMemory(
  { store }: TestStore,
  stream: StreamName,
  content: string,
): Promise<void> {
  const [first] = await store.load(stream);
  const { tenant, keyId, subject } = first!.metadata;
  const memoryId = stream.slice(stream.indexOf('.') + 1);
  const key = { tenant, id: keyId!, subject: subject! };
  const data = { memoryId, content, contentLength: content.length, contentBytes: Buffer.byteLength(content) };
  await store.append(stream, 'exists', [{ type: 'MemoryUpdated', data }], testContext({ key }));
}
