import { originOf } from '../backends/log-signers.ts';
import type { Config } from '../config.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { CopySource } from '../ports/log-copy.ts';
import type { Sql } from '../ports/sql.ts';
import { restoresOf } from '../tlog/restores.ts';
import { LogTree } from '../tlog/tree.ts';
import { SqlSource } from './sql-source.ts';

/** What a copy of this log reads from its database. */
export async function openCopySource(
  config: Config,
  { sql, log }: { readonly sql: Sql; readonly log: EventLog },
): Promise<CopySource> {
  const tree = await LogTree.open(sql, log);
  return new SqlSource({ sql, log, tree, origin: originOf(config, log.logId, await restoresOf(log)) });
}
