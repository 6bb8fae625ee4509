import type { SqlExecutor } from '../../ports/sql.ts';
import { generationTable } from '../../read-models/generation-table.ts';

/** The table of the read model `memories` that is in use; undefined before the first one is. */
export async function liveMemories(sql: SqlExecutor): Promise<string | undefined> {
  const [live] = await sql.query<{ generation: number }>(
    `select generation from read.active where name = 'memories'`,
  );
  return live && generationTable('memories', live.generation);
}
