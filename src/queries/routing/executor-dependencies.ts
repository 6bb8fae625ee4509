import type { TenantContext } from '../../domain/access/context.ts';
import type { Filter } from '../../domain/filter.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { Plan } from '../../domain/routing/plan.ts';
import type { Policy } from '../../domain/routing/policy.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReadView, Wait } from '../read-models.ts';
import type { Reasoner } from '../reasoning/reasoner.ts';
import type { SearchRequest } from '../search/query.ts';
import type { Finding } from '../search/finding.ts';
import type { FindOptions } from '../search/search.ts';
import type { Budget } from './budget.ts';
import type { ChildPlaces, PlaceRequest } from './child-places.ts';
import type { TrajectoryRecorder } from './trajectory-recorder.ts';

/** The run for which a plan is made. */
export interface PlanningRun {
  readonly depth: number;
  /** The step that decomposes a part of the question; undefined for the whole question. */
  readonly parent?: number | undefined;
  readonly budget: Budget;
  readonly recorder: TrajectoryRecorder;
  /** The tenant allows a language model to propose plans. */
  readonly mayAskModel: boolean;
  /** What "last week" in the question is relative to; default: the clock. */
  readonly now?: Date | undefined;
  /** Offset of the asker's clock from UTC, in minutes; default: 0. */
  readonly utcOffset?: number | undefined;
  /** The position that the vocabulary of the plan must include. */
  readonly demand: Wait;
}

/** Proposes a decomposition of a question, using only data that the caller may see. */
export type Planner = (question: string, caller: TenantContext, run: PlanningRun) => Promise<Plan>;

/** Services that the executor uses, and the components that make its decisions. */
export interface ExecutorDependencies {
  readonly plan: Planner;
  /** Refines the texts and the strategy of the searches; if undefined, the plan is executed as it is. */
  readonly reasoner?: Reasoner | undefined;
  readonly policy: Policy;
  readonly clock: Clock;
  /** Maximum number of concurrent searches for one question. */
  readonly searchesAtOnce: number;
  readonly search: (caller: TenantContext, request: SearchRequest, options: FindOptions) => Promise<Finding>;
  /** A filter for what the memories mention, as far as the caller may see it; undefined if they mention nothing. */
  readonly mentions: (
    caller: TenantContext,
    memories: readonly MemoryView[],
    demand: Wait,
  ) => Promise<Filter | undefined>;
  readonly places: (caller: TenantContext, request: PlaceRequest, view: ReadView) => Promise<ChildPlaces>;
}
