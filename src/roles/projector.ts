import { LexicalUpkeep } from '../projections/lexical/upkeep.ts';
import { PassageBacklog } from '../projections/vectors/passage-backlog.ts';
import type { Process } from './process.ts';
import type { ReadSide } from './read-side.ts';

/** The role `projector`: applies new events to the read models. */
export async function startProjector(
  { logger, stores, leases, cleanup }: Process,
  { runner, embedders }: ReadSide,
): Promise<void> {
  await runner.start();
  const { sql, lexicalIndex } = stores;
  const backlog = new PassageBacklog({
    sql,
    embedders,
    leases,
    onError: (error) =>
      logger.warn({ err: error }, 'passages of long memories could not be embedded and will be tried again'),
  });
  backlog.start();
  cleanup.add(() => backlog.stop());
  if (!lexicalIndex) return;
  const upkeep = new LexicalUpkeep({
    sql,
    index: lexicalIndex,
    onError: (error) => logger.warn({ err: error }, 'the upkeep of the lexical index failed and will retry'),
  });
  upkeep.start();
  cleanup.add(() => upkeep.stop());
}
