import { LexicalUpkeep } from '../projections/lexical/upkeep.ts';
import type { Process } from './process.ts';
import type { ReadSide } from './read-side.ts';

/** The role `projector`: applies new events to the read models. */
export async function startProjector(
  { logger, stores, cleanup }: Process,
  { runner }: ReadSide,
): Promise<void> {
  await runner.start();
  const { sql, lexicalIndex } = stores;
  if (!lexicalIndex) return;
  const upkeep = new LexicalUpkeep({
    sql,
    index: lexicalIndex,
    onError: (error) => logger.warn({ err: error }, 'the upkeep of the lexical index failed and will retry'),
  });
  upkeep.start();
  cleanup.add(() => upkeep.stop());
}
