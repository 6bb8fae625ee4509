import type { JsonObject } from '../../domain/json.ts';
import type { PlanningReason } from '../../domain/retrieval/planning.ts';
import type { Planning, Trajectory, TrajectoryStep } from '../../domain/retrieval/trajectory.ts';
import type { Action, Hop } from '../../domain/routing/actions.ts';
import type { Choice, Features } from '../../domain/routing/policy.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ModelCall } from '../observed-language-model.ts';
import type { Budget } from './budget.ts';

/** Maximum number of results recorded per step; the total count is recorded as well. */
const recordedResults = 50;

export interface Decision {
  readonly depth: number;
  readonly parent: number | undefined;
  readonly features: Features;
  readonly actions: readonly (Action | Hop)[];
  readonly choice: Choice;
}

export type Planned = Planning & { readonly reason?: PlanningReason };

export interface StepResult {
  readonly status: TrajectoryStep['status'];
  readonly reason?: string;
  readonly found?: number;
  readonly results?: TrajectoryStep['results'];
}

/** The part of a trajectory that the recorder supplies. */
export type Taken = Pick<
  Trajectory,
  'startedAt' | 'endedAt' | 'durationMs' | 'tokens' | 'queries' | 'steps' | 'arguments'
>;

/** Records the plans, steps and language model calls of a run. The run starts when the recorder is created. */
export class TrajectoryRecorder {
  readonly #clock: Clock;
  readonly #budget: Budget;
  readonly #steps: (TrajectoryStep | undefined)[] = [];
  readonly #arguments: JsonObject[] = [];
  readonly #planning: Planned[] = [];
  readonly #calls: ModelCall[] = [];
  readonly #startedAt: Date;
  readonly #started = performance.now();

  constructor(clock: Clock, budget: Budget) {
    this.#clock = clock;
    this.#budget = budget;
    this.#startedAt = clock.now();
  }

  /** Finished steps in the order they began, with their arguments and the totals of the run. */
  get taken(): Taken {
    const { tokens, queries } = this.#budget.spent;
    return {
      startedAt: this.#startedAt.toISOString(),
      endedAt: this.#clock.now().toISOString(),
      durationMs: rounded(performance.now() - this.#started),
      tokens,
      queries,
      steps: this.#steps.filter((step) => step !== undefined),
      arguments: this.#arguments.filter((_, index) => this.#steps[index] !== undefined),
    };
  }

  get planning(): Planned[] {
    return [...this.#planning];
  }

  get calls(): ModelCall[] {
    return [...this.#calls];
  }

  planned(planning: Planned): void {
    this.#planning.push(planning);
  }

  called(call: ModelCall): void {
    this.#calls.push(call);
  }

  /** Starts a step. Returns its number and the function that ends it. */
  begin({ depth, parent, features, actions, choice }: Decision): {
    readonly step: number;
    readonly end: (result: StepResult) => void;
  } {
    const action = actions[choice.index]!;
    const at = this.#clock.now().toISOString();
    const started = performance.now();
    const { queries, tokens } = this.#budget.spent;
    const { name: _, ...rest } = action;
    const step = this.#arguments.push(JSON.parse(JSON.stringify(rest)) as JsonObject);
    this.#steps.push(undefined);
    const end = ({ status, reason, found = 0, results = [] }: StepResult) => {
      const spent = this.#budget.spent;
      this.#steps[step - 1] = {
        step,
        ...(parent !== undefined && { parent }),
        depth,
        action: action.name,
        status,
        ...(reason !== undefined && { reason }),
        at,
        durationMs: rounded(performance.now() - started),
        tokens: spent.tokens - tokens,
        queries: spent.queries - queries,
        choices: [...new Set(actions.map(({ name }) => name))],
        features,
        propensity: choice.propensity,
        found,
        results: results.slice(0, recordedResults).map(({ memoryId, score }) => ({ memoryId, score })),
      };
    };
    return { step, end };
  }
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
