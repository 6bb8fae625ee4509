import type { Logger } from 'pino';
import { Headroom } from '../adapters/pglite/headroom.ts';
import { openPglite } from '../adapters/pglite/open.ts';
import { openPostgres } from '../adapters/postgres/postgres.ts';
import { openSqlEventLog } from '../adapters/sqllog/sql-event-log.ts';
import type { Config } from '../config.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { LexicalIndex } from '../ports/lexical-index.ts';
import type { Sql } from '../ports/sql.ts';
import type { Transport } from '../ports/transport.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { eventStoreOptions } from './eventstore.ts';
import { kafkaOptions } from './kafka.ts';
import { openSearchOptions } from './opensearch.ts';
import { postgresOptions } from './postgres.ts';

/** The stores of a profile. */
export interface Stores {
  readonly sql: Sql;
  readonly log: EventLog;
  /** Carries events to the projectors; undefined if they read the log. */
  readonly transport?: Transport;
  /** Finds memories by words; undefined if the database does that. */
  readonly lexicalIndex?: LexicalIndex;
}

/** Short, because the projections retry their batches themselves. */
const writePatienceMs = 3_000;

interface Notice {
  readonly severity: string;
  readonly message: string;
}

/** Opens the stores of the profile. Each adds its cleanup step once it is open, whether or not the others open. */
export async function openStores(config: Config, logger: Logger, cleanup: Cleanup): Promise<Stores> {
  const sql = await openSql(config, (notice) => {
    if (notice.severity === 'PANIC' || notice.severity === 'FATAL') logger.fatal(notice, 'database');
  });
  cleanup.add(() => sql.close());
  const log = await openLog(config, sql);
  cleanup.add(() => log.close());
  if (config.profile === 'embedded') {
    const headroom = new Headroom(config.dataDir);
    return { sql: headroom.sql(sql), log: headroom.log(log) };
  }
  if (config.profile === 'postgres') return { sql, log };
  // Loaded on demand, like the client of the event store: loading the clients would slow down an embedded start.
  const { openKafkaTransport } = await import('../adapters/kafka/transport.ts');
  const transport = await openKafkaTransport(kafkaOptions(config, (notice) => logger.debug(notice, 'kafka')));
  cleanup.add(() => transport.close());
  const { openOpenSearch } = await import('../adapters/opensearch/opensearch.ts');
  const lexicalIndex = openOpenSearch({ ...openSearchOptions(config), writePatienceMs });
  cleanup.add(() => lexicalIndex.close());
  return { sql, log, transport, lexicalIndex };
}

async function openSql(config: Config, onNotice: (notice: Notice) => void): Promise<Sql> {
  return config.profile === 'embedded'
    ? openPglite({ dataDir: config.dataDir, onNotice })
    : openPostgres(postgresOptions(config, onNotice));
}

/** Only this process appends to an embedded log, and it is notified of each append, so polling is only a safety net. */
const ownLogPollMs = 10_000;

async function openLog(config: Config, sql: Sql): Promise<EventLog> {
  switch (config.profile) {
    case 'embedded':
      return openSqlEventLog(sql, { pollMs: ownLogPollMs });
    case 'postgres':
      return openSqlEventLog(sql);
    case 'cluster': {
      const { openKurrentEventLog } = await import('../adapters/kurrentdb/kurrent-event-log.ts');
      return openKurrentEventLog(eventStoreOptions(config));
    }
    default:
      return config.profile satisfies never;
  }
}
