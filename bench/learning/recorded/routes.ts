import { setTimeout as sleep } from 'node:timers/promises';
import { attemptsOf, inTurn, routed, standard, work, type Attempt } from './agent.ts';
import { printLine, successRate } from './figures.ts';
import { settleMs, type FreshServer, type Recorded, type Setting } from './setting.ts';

/** Questions of one point of the learning curve. */
const pointSize = 100;
/** Thresholds that call no question complex, too few, and the right ones. */
const starts = [1, 0.6, 0.3];
const shippedThreshold = 0.3;

export interface LearningRun {
  /** Number of questions that agents ask. */
  readonly questions: number;
  readonly seed: string;
}

/** Prints what a tenant learns about its routes from each start, and beside it the choices that never change. */
export async function measureRoutes(
  { asked, held }: Recorded,
  fresh: FreshServer,
  { questions, seed }: LearningRun,
): Promise<void> {
  const greedy = async ({ observer }: Setting, step = routed): Promise<number> =>
    successRate(await attemptsOf(observer, held, [step]));
  let goal = 0;
  await fresh(async (setting) => {
    const plain = await greedy(setting, standard);
    await setThreshold(setting, 0);
    const decomposed = await greedy(setting);
    await setThreshold(setting, shippedThreshold);
    goal = await greedy(setting);
    printLine(`held out, ${held.length} questions`, {
      'always standard': plain,
      'always decomposed': decomposed,
      'threshold .3': goal,
    });
  });
  for (const threshold of starts)
    await fresh(async (setting) => {
      await setThreshold(setting, threshold);
      const before = await greedy(setting);
      const attempts: Attempt[] = [];
      for (const [index, task] of inTurn(asked, questions, seed).entries()) {
        attempts.push(await work(setting.agent, task, [routed, standard], `agent-${index}`));
        if (attempts.length % pointSize === 0)
          printLine(`from ${threshold}, ${index + 2 - pointSize} to ${index + 1}`, {
            success: successRate(attempts.slice(-pointSize)),
          });
      }
      await sleep(settleMs);
      const after = await greedy(setting);
      printLine(`from ${threshold}, held out`, {
        before,
        after,
        ...(goal > before && { 'of the gap': (after - before) / (goal - before) }),
      });
      const { inForce } = await setting.admin.expect(200, 'GET', '/v1/admin/policies');
      console.log(`  ${''.padEnd(36)} in force: ${inForce}`);
    });
}

async function setThreshold({ admin }: Setting, threshold: number): Promise<void> {
  await admin.expect(200, 'PATCH', '/v1/admin/routing', { threshold });
}
