import type { TenantContext } from '../../domain/access/context.ts';
import type { Filter } from '../../domain/filter.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import type { Plan } from '../../domain/routing/plan.ts';
import type { Policy } from '../../domain/routing/policy.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReadDemand, ReadView } from '../read-models.ts';
import type { Reasoner } from '../reasoning/reasoner.ts';
import type { SearchRequest } from '../search/query.ts';
import type { Finding } from '../search/search.ts';
import type { Budget } from './budget.ts';
import type { ChildPlaces, PlaceRequest } from './child-places.ts';
import type { TrajectoryRecorder } from './trajectory-recorder.ts';

/** The run that a plan is made in. */
export interface PlanningRun {
  readonly depth: number;
  /** The step that a part is planned in. */
  readonly parent?: number | undefined;
  readonly budget: Budget;
  readonly recorder: TrajectoryRecorder;
  /** The tenant lets a language model propose plans. */
  readonly mayAskModel: boolean;
  /** What the plan must know of. */
  readonly demand: Pick<ReadDemand, 'minPosition' | 'waitMs'>;
}

/** Proposes how to take a question apart; it may look at what the caller may see, and at nothing else. */
export type Planner = (question: string, caller: TenantContext, run: PlanningRun) => Promise<Plan>;

/** What the executor works with: the retrieval service, and what chooses. */
export interface ExecutorDependencies {
  readonly plan: Planner;
  /** Decides what is looked for; without one that is the plan as it stands. */
  readonly reasoner?: Reasoner | undefined;
  readonly policy: Policy;
  readonly clock: Clock;
  /** So many searches of one question may be under way. */
  readonly searchesAtOnce: number;
  readonly search: (caller: TenantContext, request: SearchRequest, view: ReadView) => Promise<Finding>;
  /** What memories name that the caller may look for; undefined where they name nothing. */
  readonly mentions: (
    caller: TenantContext,
    memories: readonly MemoryView[],
    demand: Pick<ReadDemand, 'minPosition' | 'waitMs'>,
  ) => Promise<Filter | undefined>;
  readonly places: (caller: TenantContext, request: PlaceRequest, view: ReadView) => Promise<ChildPlaces>;
}
