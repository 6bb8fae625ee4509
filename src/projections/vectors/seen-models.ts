import { variantOf } from '../../read-models/generation-variant.ts';
import type { SqlExecutor } from '../../ports/sql.ts';

/** Ids of the models that have vectors, the live one first. Empty for a database that was never used. */
export async function seenModels(executor: SqlExecutor): Promise<readonly string[]> {
  const [found] = await executor.query<{ generations: string | null }>(
    `select to_regclass('read.generations')::text as generations`,
  );
  if (!found?.generations) return [];
  const rows = await executor.query<{ signature: string }>(
    `select g.signature from read.generations g
     left join read.active a on a.name = g.name and a.generation = g.generation
     where g.name = 'vectors' order by a.generation is null, g.generation desc`,
  );
  return rows.map(({ signature }) => variantOf(signature));
}
