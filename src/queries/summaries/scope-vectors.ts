import { scaleOf, UNKNOWN_MODEL } from '../../domain/ranking/scales.ts';
import { tellsChange } from '../../domain/ranking/tells-change.ts';
import type { Source } from '../../domain/summaries/extract.ts';
import type { ScopeVectors } from '../../domain/summaries/successors.ts';
import type { Embedders } from '../../ports/embedder.ts';
import { isOutdated } from '../current-view.ts';
import type { ReadModels } from '../read-models.ts';
import { liveModel } from '../search/query-vectors.ts';
import { readVectors } from '../search/substances.ts';

/** Only so many of the newest memories of a scope are compared: the work grows with the square. */
const maxCompared = 200;

/** Where vectors of stored memories are read from. */
export interface VectorDependencies {
  readonly models: ReadModels;
  readonly embedders: Embedders;
}

/**
 * The vectors of the newest memories of a scope, to find successors with. Undefined if none of them tells a change, and if the cosines of
 * the live model were never measured, or its vectors cannot be read now: then only what says so in the same words replaces something.
 */
export async function readScopeVectors(
  { models, embedders }: VectorDependencies,
  tenant: string,
  sources: readonly Source[],
): Promise<ScopeVectors | undefined> {
  const newest = sources
    .toSorted((left, right) => right.time.getTime() - left.time.getTime())
    .slice(0, maxCompared);
  if (newest.length < 2 || !newest.some(({ content }) => tellsChange(content))) return undefined;
  const model = liveModel(await models.view({ projections: ['vectors'] }));
  const scale = embedders.find(model)?.scale ?? scaleOf(model);
  if (scale === UNKNOWN_MODEL) return undefined;
  try {
    return { vectors: await readVectors(models.sql, tenant, newest, model), scale };
  } catch (error) {
    if (!isOutdated(error)) throw error;
    return undefined;
  }
}
