import { defaultSettings, type Budgets } from '../../src/domain/routing/settings.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { Budget } from '../../src/queries/routing/budget.ts';
import type { PlanningRun } from '../../src/queries/routing/executor-dependencies.ts';
import { TrajectoryRecorder } from '../../src/queries/routing/trajectory-recorder.ts';

/** The run of a whole question that has used nothing of its budget. */
export function planningRun(budgets: Partial<Budgets> = {}, more: Partial<PlanningRun> = {}): PlanningRun {
  const budget = new Budget({ ...defaultSettings.budgets, ...budgets });
  return {
    depth: 0,
    budget,
    recorder: new TrajectoryRecorder(systemClock, budget),
    mayAskModel: true,
    demand: {},
    ...more,
  };
}
