import { LexicalUpkeep } from '../projections/lexical/upkeep.ts';
import { PassageBacklog } from '../projections/vectors/passage-backlog.ts';
import { TextBacklog } from '../projections/vectors/text-backlog.ts';
import { observePassages } from '../observability/telemetry.ts';
import type { Process } from './process.ts';
import type { ReadSide } from './read-side.ts';

/** The role `projector`: applies new events to the read models. */
export async function startProjector(
  { logger, stores, leases, metrics, cleanup }: Process,
  { runner, embedders, textsWait }: ReadSide,
): Promise<void> {
  await runner.start();
  const { sql, lexicalIndex } = stores;
  const backlog = new PassageBacklog({
    sql,
    embedders,
    leases,
    onError: (error, memory) =>
      logger.warn(
        { err: error, ...memory },
        memory
          ? 'a passage of a long memory could not be embedded and will be tried again; others are embedded meanwhile'
          : 'passages of long memories could not be embedded and will be tried again',
      ),
  });
  const texts = new TextBacklog({
    sql,
    embedders,
    leases,
    waiting: textsWait,
    onError: (error) =>
      logger.warn({ err: error }, 'texts without a vector could not be embedded and will be tried again'),
  });
  texts.start();
  cleanup.add(() => texts.stop());
  observePassages(metrics.meter, backlog);
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
