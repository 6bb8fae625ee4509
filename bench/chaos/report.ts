import { availableParallelism, cpus, loadavg } from 'node:os';
import {
  alone,
  answeredAfter,
  apartFrom,
  during,
  quantiles,
  type Quantiles,
  type Sample,
} from './latency.ts';
import { clock, floodName, quietName, type ChaosRun, type InjectedFault } from './run.ts';
import type { Verdict } from './verify.ts';
import type { World } from './world.ts';

/** A report, which is shown as a text and as a page. */
export interface ChaosReport {
  readonly command: string;
  readonly machine: string;
  readonly finishedAt: string;
  readonly run: ChaosRun;
  readonly verdict: Verdict;
  readonly skipped: readonly string[];
  readonly violations: number;
  readonly fairness: readonly Fairness[];
  readonly byTenant: readonly {
    readonly tenant: string;
    readonly calm: Quantiles;
    readonly faulty: Quantiles;
  }[];
  readonly byFault: readonly (InjectedFault & {
    readonly answers: Quantiles;
    readonly recoveredMs: number | undefined;
  })[];
}

/** Searches of the quiet tenant beside a flood of one shape, compared with calm times. */
export interface Fairness {
  readonly flood: string;
  readonly beside: Quantiles;
  readonly calmP95: number;
  readonly ratio: number;
  readonly floodAnswers: Quantiles;
}

/** A quiet caller may become this much slower beside a flood. */
export const fairRatio = 4;

export function reportOf(command: string, world: World, run: ChaosRun, verdict: Verdict): ChaosReport {
  const { samples, faults } = run;
  const own = samples.filter(({ tenant }) => tenant !== floodName);
  const tenants = [...new Set(own.map(({ tenant }) => tenant))].sort();
  return {
    command,
    machine: `${availableParallelism()} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.version}, load of the machine at the end ${loadavg()[1]!.toFixed(1)}`,
    finishedAt: new Date().toISOString(),
    run,
    verdict,
    skipped: world.skipped,
    violations: verdict.rules.reduce((sum, { violations }) => sum + violations.length, 0),
    fairness: fairnessOf(samples, faults),
    byTenant: tenants.map((tenant) => {
      const its = own.filter((sample) => sample.tenant === tenant);
      return { tenant, calm: quantiles(apartFrom(its, faults)), faulty: quantiles(during(its, faults)) };
    }),
    byFault: faults.map((fault) => ({
      ...fault,
      answers: quantiles(during(own, [fault])),
      recoveredMs: answeredAfter(own, fault),
    })),
  };
}

function fairnessOf(samples: readonly Sample[], faults: readonly InjectedFault[]): Fairness[] {
  const searches = samples.filter(({ tenant, isSearch }) => tenant === quietName && isSearch);
  const calm = quantiles(apartFrom(searches, faults)).p95;
  const undisturbed = alone(
    faults.filter(({ isFlood }) => isFlood),
    faults,
  );
  return [...new Set(undisturbed.map(({ name }) => name))].map((name) => {
    const spans = undisturbed.filter((fault) => fault.name === name);
    const beside = quantiles(during(searches, spans));
    const floodAnswers = quantiles(
      during(
        samples.filter(({ tenant }) => tenant === floodName),
        spans,
      ),
    );
    return { flood: name, beside, calmP95: calm, ratio: beside.p95 / calm, floodAnswers };
  });
}

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function fairnessTable({ fairness }: ChaosReport): Table {
  return {
    columns: [
      'flood',
      'quiet p50',
      'quiet p95',
      'calm p95',
      'ratio',
      'searches',
      'flood: answered',
      'refused or lost',
    ],
    rows: fairness.map(({ flood, beside, calmP95, ratio, floodAnswers }) => [
      flood,
      ms(beside.p50),
      ms(beside.p95),
      ms(calmP95),
      `${ratio.toFixed(1)}x${ratio <= fairRatio ? '' : ' NO'}`,
      String(beside.count),
      String(floodAnswers.count - floodAnswers.unanswered),
      String(floodAnswers.unanswered),
    ]),
  };
}

export function tenantsTable({ byTenant }: ChaosReport): Table {
  const latency = ['p95', 'worst', 'requests'];
  return {
    columns: ['tenant', 'calm p50', ...latency, 'during faults p50', ...latency, 'without an answer'],
    rows: byTenant.map(({ tenant, calm, faulty }) => [
      tenant,
      ...[calm, faulty].flatMap(({ p50, p95, worst, count }) => [ms(p50), ms(p95), ms(worst), String(count)]),
      String(faulty.unanswered),
    ]),
  };
}

export function faultsTable({ byFault }: ChaosReport): Table {
  return {
    columns: ['at', 'fault', 'lasted', 'requests', 'without an answer', 'p95', 'first answer after its end'],
    rows: byFault.map(({ fromMs, toMs, name, answers, recoveredMs }) => [
      clock(fromMs),
      name,
      `${((toMs - fromMs) / 1_000).toFixed(1)} s`,
      String(answers.count),
      String(answers.unanswered),
      ms(answers.p95),
      recoveredMs === undefined ? '' : ms(recoveredMs),
    ]),
  };
}

/** `12 ms` or `1.2 s`; a dash where nothing was measured. */
export function ms(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(1)} s`;
}
