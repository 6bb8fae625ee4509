import type { JsonObject } from '../domain/json.ts';
import { Problem } from '../domain/problems.ts';
import { CommandRecord, type RecordedPart } from './command-record.ts';
import type { CommandContext, CommandServices } from './context.ts';

export interface RunResult<Answer> {
  readonly answer: Answer;
  readonly replayed: boolean;
}

/**
 * Runs a command whose answer cannot be derived from its events, and records the answer (or a `part` of it). A repetition
 * under the same idempotency key returns the recorded answer and does not run again.
 */
export async function runOnce<Answer extends JsonObject>(
  services: CommandServices,
  context: CommandContext,
  run: () => Promise<Answer>,
  part: RecordedPart = 'command',
): Promise<RunResult<Answer>> {
  const record = CommandRecord.of(services, context, part);
  if (!record) return { answer: await run(), replayed: false };
  for (;;) {
    const answer = (await record.read())?.answer;
    if (answer) return { answer: answer as Answer, replayed: true };
    const first = await run();
    // If a concurrent run was faster, its answer is the one to return.
    if (await record.write({ memoryId: '', revision: -1, position: 0, answer: first }))
      return { answer: first, replayed: false };
  }
}

/**
 * Like `runOnce`, for an act that would do something else if it ran again: the plan is made once and recorded before the act begins.
 * `run` must work whether the act has not begun, has begun or is done, and concurrently with itself. If it is refused, nothing was
 * done and the plan is dropped, unless `keepsPlan`.
 */
export async function planAndRunOnce<Plan extends JsonObject, Answer extends JsonObject>(
  services: CommandServices,
  context: CommandContext,
  steps: {
    readonly plan: () => Promise<Plan>;
    readonly run: (plan: Plan) => Promise<Answer>;
    /** Whether a refused act may have been done in part. */
    readonly keepsPlan?: boolean;
  },
): Promise<RunResult<Answer>> {
  const { answer: plan } = await runOnce(services, context, steps.plan, 'plan');
  try {
    return await runOnce(services, context, () => steps.run(plan));
  } catch (error) {
    const isRefused = error instanceof Problem && error.status < 500;
    if (isRefused && !steps.keepsPlan) await forgetPlan(services, context);
    throw error;
  }
}

async function forgetPlan(services: CommandServices, context: CommandContext): Promise<void> {
  const plan = CommandRecord.of(services, context, 'plan');
  if (!plan || !(await plan.exists())) return;
  // A concurrent run of this command may have succeeded meanwhile; its answer is returned to repetitions.
  if (await CommandRecord.of(services, context)?.exists()) return;
  await plan.forget();
}
