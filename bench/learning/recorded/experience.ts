import { setTimeout as sleep } from 'node:timers/promises';
import {
  attemptsOf,
  coin,
  experienced,
  hops,
  inTurn,
  routed,
  standard,
  work,
  type Attempt,
} from './agent.ts';
import { meanCalls, printLine, successRate } from './figures.ts';
import type { LearningRun } from './routes.ts';
import { settleMs, type FreshServer, type Recorded } from './setting.ts';

/** What an agent tries that does without experience. */
const ladder = [standard, routed, hops];
const withExperience = [experienced, ...ladder.slice(1)];

/** Prints what experience gains for agents whose first call is the weaker one, and beside it the choices that never change. */
export function measureExperience(
  { asked, held }: Recorded,
  fresh: FreshServer,
  { questions, seed }: LearningRun,
): Promise<void> {
  return fresh(async ({ agent, observer }) => {
    const constant = { standard: [standard, routed, hops], routed: [routed, standard, hops] };
    for (const [name, steps] of Object.entries(constant))
      print(`always ${name}`, await attemptsOf(observer, held, steps));
    const sides: [Attempt[], Attempt[]] = [[], []];
    for (const [index, task] of inTurn(asked, questions, seed).entries()) {
      const side = coin('side', seed, index) < 0.5 ? 0 : 1;
      sides[side].push(await work(agent, task, side === 0 ? ladder : withExperience, `agent-${index}`));
    }
    print('asked, without experience', sides[0]);
    print('asked, with experience', sides[1]);
    await sleep(settleMs);
    print('held out, with experience', await attemptsOf(observer, held, withExperience));
  });
}

function print(name: string, attempts: readonly Attempt[]): void {
  printLine(name, { 'first call': successRate(attempts), calls: meanCalls(attempts) });
}
