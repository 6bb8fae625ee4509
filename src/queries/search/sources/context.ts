import type { SqlExecutor } from '../../../ports/sql.ts';
import type { PassageVectors, Vectors } from '../../../ports/vector-index.ts';
import type { Words } from '../../../ports/word-index.ts';
import type { ReadView } from '../../read-models.ts';
import type { PlannerSettings } from './planner-settings.ts';

/** What all sources of one search read through. */
export interface SourceContext {
  readonly tx: SqlExecutor;
  readonly view: ReadView;
  readonly planner: PlannerSettings;
  /** The tenant's words, if this process keeps them in RAM. */
  readonly words?: Words | undefined;
  /** The tenant's vectors of the query's model, if this process keeps them in RAM. */
  readonly vectors?: Vectors | undefined;
  /** The tenant's vectors of passages of that model, if this process keeps them in RAM. */
  readonly passages?: PassageVectors | undefined;
}
