import type { EventLog } from '../ports/event-log.ts';
import type { ReadModels } from './read-models.ts';

/** How far the live vectors are behind the log. */
export interface VectorLag {
  /** The position that they have reached. */
  readonly position: number;
  /** Events that they lack. */
  readonly lag: number;
}

export async function readVectorLag(models: ReadModels, log: EventLog): Promise<VectorLag> {
  const { position } = await models.view({ projections: ['vectors'], waitMs: 0 });
  return { position, lag: Math.max(0, (await log.head()) - position) };
}
