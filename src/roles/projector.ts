import { LexicalUpkeep } from '../projections/lexical/upkeep.ts';
import { PassageBacklog } from '../projections/vectors/passage-backlog.ts';
import { TextBacklog } from '../projections/vectors/text-backlog.ts';
import { SpaceVectorUpkeep } from '../projections/vectors/space-vector-upkeep.ts';
import { SpaceVectors } from '../projections/vectors/space-vectors.ts';
import { observePassages } from '../observability/telemetry.ts';
import type { Process } from './process.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { ReadSide } from './read-side.ts';
import { readModelWaitMs, startProcessor } from './start-processor.ts';

/** The role `projector`: applies new events to the read models. */
export async function startProjector(
  own: Process,
  store: EventStore,
  { runner, embedders, textsWait, progress, models, spaceModels }: ReadSide,
): Promise<void> {
  const { logger, stores, leases, metrics, cleanup } = own;
  await runner.start();
  const { sql, lexicalIndex } = stores;
  const backlog = new PassageBacklog({
    sql,
    embedders,
    leases,
    progress,
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
  const vectors = new SpaceVectors({ sql, embedders, onUse: (modelId) => spaceModels.add(modelId) });
  const applied = async (minPosition: number) =>
    void (await models.view({ projections: ['memories', 'vectors'], minPosition, waitMs: readModelWaitMs }));
  startProcessor(own, new SpaceVectorUpkeep({ store, vectors, applied }));
  if (!lexicalIndex) return;
  const upkeep = new LexicalUpkeep({
    sql,
    index: lexicalIndex,
    onError: (error) => logger.warn({ err: error }, 'the upkeep of the lexical index failed and will retry'),
  });
  upkeep.start();
  cleanup.add(() => upkeep.stop());
}
