import { z } from 'zod';
import { reasoningWordsSchema } from '../../domain/reasoning/trace.ts';
import type { RetrievalEvent } from '../../domain/retrieval/events.ts';
import { TrajectoryRecorded } from '../../domain/retrieval/trajectory.ts';

const recorded = TrajectoryRecorded.routing.shape;
const object = z.record(z.string(), z.unknown());

const step = recorded.steps.element
  .extend({ arguments: object.optional().meta({ description: 'What the step searched for, and where' }) })
  .meta({ id: 'TrajectoryStep' });

const reasoning = recorded.reasoning.element
  .extend(reasoningWordsSchema.partial().shape)
  .meta({ id: 'ReasoningTrace', description: 'How the searches of one question were chosen' });

/** How a question was decomposed and searched, step by step. */
export const shownTrajectory = z
  .object({ ...recorded, plan: object.optional(), reasoning: z.array(reasoning), steps: z.array(step) })
  .omit({ searchId: true, policyVersion: true })
  .meta({ id: 'Trajectory' });

/** A recorded trajectory as answers show it. */
export function trajectoryOf(data: Extract<RetrievalEvent, { type: 'TrajectoryRecorded' }>['data']) {
  // If the search was erased, only the readable fields are left.
  const { searchId: _, policyVersion: __, query: ___, arguments: sought, expansions, ...rest } = data;
  const args: readonly unknown[] = sought ?? [];
  return {
    ...rest,
    reasoning: rest.reasoning.map((one, index) => ({ ...one, ...expansions?.[index] })),
    steps: rest.steps.map((one, index) => ({ ...one, arguments: args[index] as Record<string, unknown> })),
  };
}
