// Simulates tenants that learn their routes: from a bad start, from a good one, and with candidates that must not be promoted. The
// trainer is timed as well.
import { shipped } from '../../src/domain/learning/global-base.ts';
import { rulePolicy } from '../../src/domain/learning/route-policy.ts';
import { isTrainable, leastDecisions, train, untrained } from '../../src/domain/learning/trainer.ts';
import { defaultSettings } from '../../src/domain/routing/settings.ts';
import type { Benchmark } from '../support/benchmark.ts';
import { randomFrom } from '../support/random.ts';
import type { Report } from '../support/report.ts';
import { SimulatedTenant } from './simulated-tenant.ts';
import { drawQuestion, equalWorld, measuredWorld, valueOf, worseWorld, type World } from './world.ts';

/** What a used result gains over asking again, in units of the reward: 1 instead of .3 + .3. */
const rewardOfSuccess = 0.4;
/** Threshold that calls no question complex. */
const alwaysStandard = 1.01;

export const learning: Benchmark = {
  name: 'learning',
  about:
    'simulated tenants: what is learned from a bad start, kept from a good one, and not promoted; training time',
  run({ logs }, report) {
    for (const threshold of [alwaysStandard, 0.6]) fromBadStart(report, threshold, logs);
    fromTheDefault(report, Math.ceil(logs / 4));
    promotions(report, logs);
    training(report);
    return Promise.resolve();
  },
};

/** Asks a tenant so many questions, and calls back after each. */
function run(
  tenant: SimulatedTenant,
  world: World,
  seed: number,
  decisions: number,
  after?: (count: number) => void,
): SimulatedTenant {
  const random = randomFrom(seed);
  for (let count = 1; count <= decisions; count += 1) {
    tenant.ask(drawQuestion(world, random));
    after?.(count);
  }
  return tenant;
}

function fromBadStart(report: Report, threshold: number, tenants: number): void {
  const value = (policy = rulePolicy, at = threshold) => valueOf(measuredWorld, policy, at);
  const [start, goal] = [value(), value(rulePolicy, defaultSettings.threshold)];
  const closed = new Map([500, 1_000].map((count) => [count, [] as number[]]));
  const explored: number[] = [];
  for (let seed = 0; seed < tenants; seed += 1) {
    const tenant = new SimulatedTenant(seed, threshold);
    run(tenant, measuredWorld, seed, 1_000, (count) => {
      closed.get(count)?.push((value(tenant.history.incumbent) - start) / (goal - start));
    });
    explored.push(mean(tenant.log.slice(0, 500).map(({ taken, incumbent }) => Number(taken !== incumbent))));
  }
  for (const [count, shares] of closed) {
    report.figure({
      name: `from ${threshold}: gap closed after ${count} decisions`,
      value: mean(shares),
      unit: '',
      target: { of: 'value', least: 0.95 },
    });
  }
  report.figure({
    name: `from ${threshold}: other arm than the incumbent's in the first 500`,
    value: mean(explored),
    unit: '',
  });
}

function fromTheDefault(report: Report, tenants: number): void {
  const { threshold } = defaultSettings;
  const start = valueOf(measuredWorld, rulePolicy, threshold);
  const losses = Array.from({ length: tenants }, (_, seed) => {
    const { history } = run(new SimulatedTenant(seed, threshold), measuredWorld, seed, 2_000);
    return start - valueOf(measuredWorld, history.incumbent, threshold);
  });
  report.figure({
    name: `from ${threshold}: mean loss of success after 2,000 decisions`,
    value: mean(losses),
    unit: '',
    target: { of: 'value', most: 0.005 },
  });
  const changed = losses.filter((loss) => loss !== 0).length;
  report.check(
    `from ${threshold} tenants lose at most .005 on average`,
    mean(losses) <= 0.005,
    `${changed} of ${tenants} changed their policy, the greatest loss is ${Math.max(...losses).toFixed(4)}`,
  );
}

/**
 * Half of the logs are of a world where both routes are equal, half of one where the candidate is worse, and in both the threshold is
 * such that nothing better than the rule exists. Looks at the base and at what was learned follow the evidence as it grows.
 */
function promotions(report: Report, logs: number): void {
  const promoted = { equal: 0, worse: 0 };
  let [covered, intervals] = [0, 0];
  for (let log = 0; log < logs; log += 1) {
    const kind = log % 2 === 0 ? 'equal' : 'worse';
    const world = kind === 'equal' ? equalWorld : worseWorld;
    const tenant = new SimulatedTenant(10_000 + log, alwaysStandard, { isDry: true });
    run(tenant, world, 10_000 + log, 1_500, (count) => {
      if (count % 500 !== 0) return;
      const { interval, matched } = tenant.evaluate();
      if (matched < 50) return;
      const gain =
        valueOf(world, tenant.candidate, alwaysStandard) - valueOf(world, rulePolicy, alwaysStandard);
      intervals += 1;
      if (interval[0] <= rewardOfSuccess * gain && rewardOfSuccess * gain <= interval[1]) covered += 1;
    });
    if (tenant.accepted.length > 0) promoted[kind] += 1;
  }
  const share = (promoted.equal + promoted.worse) / logs;
  report.figure({
    name: `${logs} logs: equal or worse candidates promoted`,
    value: share,
    unit: '',
    target: { of: 'value', most: 0.03 },
  });
  report.figure({
    name: `coverage of ${intervals} intervals of 95 %`,
    value: covered / intervals,
    unit: '',
    target: { of: 'value', least: 0.9 },
  });
  const detail = `${promoted.equal} equal, ${promoted.worse} worse`;
  report.check('at most .03 of equal or worse candidates are promoted', share <= 0.03, detail);
  report.check('at least .90 of the intervals cover the gain', covered / intervals >= 0.9);
}

/** Trains on 10,000 decisions of one tenant, in steps of the least size. Twice: the same decisions must give the same state. */
function training(report: Report): void {
  const most = 10_000;
  const { log } = run(new SimulatedTenant(1, alwaysStandard, { isDry: true }), measuredWorld, 1, 4 * most);
  const decisions = log.filter(isTrainable).slice(0, most);
  const trained = () => {
    let state = untrained;
    for (let from = 0; from < decisions.length; from += leastDecisions)
      state = train(state, shipped.weights, decisions.slice(from, from + leastDecisions)).state;
    return state;
  };
  const start = performance.now();
  const state = trained();
  report.figure({
    name: `training on ${most} decisions`,
    value: performance.now() - start,
    unit: 'ms',
    target: { of: 'value', most: 10_000 },
  });
  report.check(
    `the trainer learns from ${most} decisions, and the same ones give the same state`,
    state.decisions === most && JSON.stringify(state) === JSON.stringify(trained()),
    `${state.steps} steps`,
  );
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
