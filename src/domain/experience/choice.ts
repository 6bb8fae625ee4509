import type { JsonObject } from '../json.ts';
import { complexityOf, signalNames } from '../routing/complexity.ts';
import {
  bucketsOf,
  chooseValue,
  isClearlyBetter,
  meanOf,
  noTally,
  successOf,
  type Option,
  type Tally,
} from './buckets.ts';
import {
  armsFor,
  isSameArm,
  isTelling,
  parameterNames,
  parametersOf,
  type Arm,
  type ParameterName,
  type SearchParameters,
} from './parameters.ts';
import { successShares, type TraceOrigin, type TraceOutcome } from './trace.ts';

/** How searches with one arm ended, for one kind of question. */
export interface ArmRecord extends Tally {
  /** The finest of `bucketsOf`. */
  readonly bucket: string;
  readonly arm: string;
}

/** An attempt at a similar question. */
export interface Neighbour {
  readonly outcome: TraceOutcome;
  readonly origin: TraceOrigin;
  /** The parameters of the attempt that experience may choose and the caller leaves open. */
  readonly parameters: SearchParameters;
}

/** What an attempt teaches about its parameters; undefined if nothing (`isTelling`). */
export function neighbourOf(
  {
    outcome,
    origin,
    strategy,
  }: {
    readonly outcome: TraceOutcome;
    readonly origin: TraceOrigin;
    readonly strategy?: JsonObject | undefined;
  },
  open: ReadonlySet<ParameterName>,
): Neighbour | undefined {
  if (!isTelling(outcome, strategy, open)) return undefined;
  return { outcome, origin, parameters: parametersOf(strategy, open) };
}

export interface Choice {
  readonly arm: Arm;
  /**
   * `exploration`: the arm was drawn to learn from it, whether or not another one is better so far. `similar`: by attempts at similar
   * questions. `kind`: by all searches of this kind.
   */
  readonly by: 'exploration' | 'similar' | 'kind';
}

/** Number of searches that a similar attempt counts as. A caller's own record says more than the outcome of a search. */
const neighbourWeights: Readonly<Record<TraceOrigin, number>> = { caller: 3, search: 1 };
/** Probability of following similar attempts although they are no better than the default. */
const neighbourError = 0.1;
/** Share of searches that try another arm: `early` until an arm has `untilTrials` trials, `later` from then on. */
const exploring = { early: 0.1, later: 0.02, untilTrials: 30 } as const;

/** The kind of a question: the strength of its four signals, and nothing of its content. */
export function bucketOf(question: string): string {
  return bucketsOf(complexityOf(question).signals)[0]!;
}

/** The parameters that a request leaves open. A question that cannot be decomposed has no strategy. */
export function openParameters(
  bucket: string,
  sent: Readonly<Partial<Record<ParameterName, unknown>>>,
): ReadonlySet<ParameterName> {
  const isSimple = chainOf(bucket).includes('none');
  return new Set(
    parameterNames.filter((name) => {
      if (name === 'strategy') return sent.mode === undefined && !isSimple;
      return sent[name] === undefined;
    }),
  );
}

/**
 * Chooses the parameters of a search. The default arm changes nothing. Another arm replaces it if similar attempts, together with all
 * searches of this kind, show that it is clearly better; such an arm may have the parameters of an attempt instead of a name. Failing
 * that, a named arm replaces the default if it is clearly better for questions of this kind (`chooseValue`).
 *
 * @param bucket Kind of the question (`bucketOf`).
 * @param open Parameters that the caller leaves open.
 * @param draw Uniform number in [0, 1) that decides whether the search explores; undefined: it does not.
 */
export function chooseArm(
  bucket: string,
  open: ReadonlySet<ParameterName>,
  records: readonly ArmRecord[],
  neighbours: readonly Neighbour[],
  draw?: number,
): Choice {
  const levels = chainOf(bucket);
  const tallies = talliesByArm(records, levels);
  const option = (value: Arm): Option<Arm> => ({
    value,
    tallies: tallies.get(value.name) ?? levels.map(() => noTally),
  });
  const arms = armsFor(open);
  const [usual, ...named] = arms.map(option) as [Option<Arm>, ...Option<Arm>[]];
  const explored = draw === undefined ? undefined : exploredArm(named, draw);
  if (explored) return { arm: explored, by: 'exploration' };
  const known = neighbours.filter(({ outcome }) => outcome !== 'pending');
  const own = known
    .filter(({ parameters }) => !arms.some((arm) => isSameArm(arm.parameters, parameters)))
    .map(({ parameters }) => option({ name: 'like-trace', parameters }));
  const similar = likeNeighbours(usual, [...named, ...own], known);
  return similar ? { arm: similar, by: 'similar' } : { arm: chooseValue(usual, named), by: 'kind' };
}

/** The best arm that similar attempts prove clearly better than the default; undefined if there is none. */
function likeNeighbours(
  usual: Option<Arm>,
  others: readonly Option<Arm>[],
  known: readonly Neighbour[],
): Arm | undefined {
  const successWith = ({ value, tallies }: Option<Arm>) =>
    successOf([neighbourTally(known, value.parameters), ...tallies]);
  const incumbent = successWith(usual);
  let best: { readonly arm: Arm; readonly mean: number } | undefined;
  for (const other of others) {
    // Failures of the default alone are no evidence for another arm.
    if (neighbourTally(known, other.value.parameters).successes === 0) continue;
    const success = successWith(other);
    if (!isClearlyBetter(success, incumbent, neighbourError)) continue;
    if (!best || meanOf(success) > best.mean) best = { arm: other.value, mean: meanOf(success) };
  }
  return best?.arm;
}

function neighbourTally(known: readonly Neighbour[], parameters: SearchParameters): Tally {
  return known
    .filter((neighbour) => isSameArm(neighbour.parameters, parameters))
    .reduce((sum, { origin, outcome }) => {
      const weight = neighbourWeights[origin];
      return added(sum, { successes: weight * successShares[outcome], trials: weight });
    }, noTally);
}

/** The outcomes of each arm in each of these buckets, including those in its finer buckets. */
function talliesByArm(
  records: readonly ArmRecord[],
  levels: readonly string[],
): ReadonlyMap<string, readonly Tally[]> {
  const tallies = new Map<string, readonly Tally[]>();
  for (const record of records) {
    const buckets = chainOf(record.bucket);
    const before = tallies.get(record.arm) ?? levels.map(() => noTally);
    const after = before.map((sum, index) => (buckets.includes(levels[index]!) ? added(sum, record) : sum));
    tallies.set(record.arm, after);
  }
  return tallies;
}

function added(sum: Tally, { successes, trials }: Tally): Tally {
  return { successes: sum.successes + successes, trials: sum.trials + trials };
}

/** The smallest signal of each level in the name of a bucket. */
const leastSignals = [0, 0.2, 0.5];

/** A bucket and its coarser ones. */
function chainOf(bucket: string): readonly string[] {
  const levels = bucket
    .slice(bucket.indexOf('-') + 1)
    .split('')
    .map(Number);
  const signals = signalNames.map((name, index) => [name, leastSignals[levels[index] ?? 0] ?? 0] as const);
  return bucketsOf(Object.fromEntries(signals));
}

/** The arm that this search explores, if any. Each arm has its own part of [0, 1), an equal share of the exploration. */
function exploredArm(arms: readonly Option<Arm>[], draw: number): Arm | undefined {
  let from = 0;
  for (const { value, tallies } of arms) {
    const { trials } = tallies[0] ?? noTally;
    const share = (trials < exploring.untilTrials ? exploring.early : exploring.later) / arms.length;
    if (draw >= from && draw < from + share) return value;
    from += share;
  }
  return undefined;
}
