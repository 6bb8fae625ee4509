import path from 'node:path';
import { v7 as uuid } from 'uuid';
import { SealedEventStore } from '../../src/adapters/eventstore/sealed-event-store.ts';
import { openPglite } from '../../src/adapters/pglite/open.ts';
import { openSqlEventLog } from '../../src/adapters/sqllog/sql-event-log.ts';
import { readRootKeyFile } from '../../src/adapters/vault/root-key.ts';
import { openSqlKeyVault } from '../../src/adapters/vault/sql-key-vault.ts';
import { commandServices, type CommandContext, type CommandServices } from '../../src/commands/context.ts';
import { FactQueue } from '../../src/commands/record-facts.ts';
import { updateMemory } from '../../src/commands/update-memory.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { tenant } from './loaded.ts';
import type { MemorySource } from './memories.ts';
import { pick, randomFrom } from './random.ts';
import { inLanes } from './statistics.ts';

const writers = 32;
const resultsPerSearch = 10;

const context: CommandContext = {
  caller: {
    tenant,
    principal: 'key:bench',
    user: 'bench',
    roles: ['admin'],
    orgs: [],
    teams: [],
    projects: [],
    sessions: [],
    agents: [],
  },
  cause: 'user',
  correlationId: 'bench',
};

/**
 * Adds events to the log of a stopped server by calling its commands directly: an update of the text of every third memory, and
 * as many searches with ten results each. Together with `memories` stores this is a mix of 60, 20 and 20 percent.
 */
export async function addUpdatesAndSearches(
  dataDir: string,
  memories: number,
  source: MemorySource,
): Promise<void> {
  const sql = await openPglite({ dataDir });
  const log = await openSqlEventLog(sql);
  const vault = await openSqlKeyVault(sql, await readRootKeyFile(path.join(dataDir, 'vault.key')));
  const store = new SealedEventStore(log, vault);
  const services: CommandServices = commandServices({ store, vault, clock: systemClock, newId: uuid });
  const ids = await memoryIds(sql);
  const count = Math.floor(memories / 3);
  await inLanes(writers, count, async (index) => {
    const { content } = source.memory(memories + index);
    await updateMemory(services, context, ids[index * 3]!, { content }, '*');
  });
  await addSearches(services, ids, count, source);
  await log.close();
  await sql.close();
}

async function memoryIds(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ stream: string }>(
    `select stream from log.events where category = 'memory' and revision = 0 order by position`,
  );
  return rows.map(({ stream }) => stream.slice(stream.indexOf('.') + 1));
}

async function addSearches(
  services: CommandServices,
  ids: readonly string[],
  count: number,
  source: MemorySource,
): Promise<void> {
  const random = randomFrom(23);
  let dropped = 0;
  const facts = new FactQueue(services, { onDropped: (lost) => (dropped += lost) });
  for (let index = 0; index < count; index++) {
    const id = uuid();
    const memoryIds = [...new Set(Array.from({ length: resultsPerSearch }, () => pick(ids, random)))];
    facts.record({
      id,
      context,
      events: [
        {
          type: 'SearchPerformed',
          data: {
            searchId: id,
            topK: resultsPerSearch,
            threshold: 0.7,
            order: 'precedence',
            readPosition: index,
            results: memoryIds.map((memoryId, rank) => ({
              memoryId,
              rank: rank + 1,
              relevance: 1 / (rank + 2),
            })),
            warnings: [],
            durationMs: 10,
            route: 'standard',
            query: source.query(index, ids.length),
          },
        },
        { type: 'MemoriesAccessed', data: { searchId: id, how: 'search', memoryIds } },
      ],
    });
    if (index % 500 === 499) await facts.flush();
  }
  await facts.flush();
  if (dropped > 0) throw new Error(`${dropped} retrieval facts were dropped`);
}
