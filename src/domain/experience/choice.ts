import {
  bucketsOf,
  chooseValue,
  isClearlyBetter,
  meanOf,
  noTally,
  successOf,
  type Option,
  type Tally,
} from '../learning/experience-bucket.ts';
import { complexityOf, signalNames } from '../routing/complexity.ts';
import { armsFor, isSameArm, type Arm, type ParameterName, type SearchParameters } from './parameters.ts';
import type { TraceOrigin, TraceOutcome } from './trace.ts';

/** How searches with one arm ended, for one kind of question. */
export interface ArmRecord extends Tally {
  /** The finest of `bucketsOf`. */
  readonly bucket: string;
  readonly arm: string;
}

/** An attempt at a similar question. */
export interface Neighbour {
  readonly traceId: string;
  readonly outcome: TraceOutcome;
  readonly origin: TraceOrigin;
  /** Its parameters, as far as the caller leaves them open. */
  readonly parameters: SearchParameters;
}

export interface Choice {
  readonly arm: Arm;
  /** It was drawn to learn from it, although another arm is better so far. */
  readonly explored: boolean;
}

/** Searches that one similar attempt counts as: a caller judged it, or it is known what became of a search. */
const neighbourWeights: Readonly<Record<TraceOrigin, number>> = { caller: 3, search: 1 };
const shareWon: Readonly<Record<TraceOutcome, number>> = {
  success: 1,
  partial_success: 0.5,
  failure: 0,
  pending: 0,
};
/** Probability of following similar attempts although the default is no worse. */
const neighbourError = 0.1;
/** Share of searches that try another arm while little is known of it, and later. */
const exploring = { early: 0.1, later: 0.02, untilTrials: 30 } as const;

/** The kind of a question: the strength of its four signals. It says nothing of what is asked. */
export function bucketOf(question: string): string {
  return bucketsOf(complexityOf(question).signals)[0]!;
}

/**
 * Chooses the parameters of a search. By default nothing is changed. A named arm replaces that if it is clearly better for questions
 * of this kind (`chooseValue`); the outcomes of similar attempts refine what is known, for named arms and for parameters of their own.
 * `draw`, if given, is a uniform number that decides whether the search explores.
 */
export function chooseArm(
  bucket: string,
  open: ReadonlySet<ParameterName>,
  records: readonly ArmRecord[],
  neighbours: readonly Neighbour[],
  draw?: number,
): Choice {
  const [usual, ...named] = armsFor(open) as [Arm, ...Arm[]];
  const levels = chainOf(bucket);
  const option = (value: Arm): Option<Arm> => ({
    value,
    tallies: levels.map((level) => tallyOf(records, level, value.name)),
  });
  const explored = draw === undefined ? undefined : exploredArm(named.map(option), draw);
  if (explored) return { arm: explored, explored: true };
  const known = neighbours.filter(({ outcome }) => outcome !== 'pending');
  const own = known
    .filter(({ parameters }) => ![usual, ...named].some((arm) => isSameArm(arm.parameters, parameters)))
    .map(({ parameters }): Arm => ({ name: 'like-trace', parameters }));
  return {
    arm:
      likeNeighbours(option(usual), [...named, ...own].map(option), known) ??
      chooseValue(option(usual), named.map(option)),
    explored: false,
  };
}

/** The best arm of which similar attempts show that it is clearly better than the default; undefined if there is none. */
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
    // What nobody has tried is no better than what is known to fail.
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
    .reduce(({ successes, trials }, { origin, outcome }) => {
      const weight = neighbourWeights[origin];
      return { successes: successes + weight * shareWon[outcome], trials: trials + weight };
    }, noTally);
}

/** What is known of an arm in a bucket and in the finer ones that it consists of. */
function tallyOf(records: readonly ArmRecord[], level: string, arm: string): Tally {
  return records
    .filter((record) => record.arm === arm && chainOf(record.bucket).includes(level))
    .reduce(
      (sum, { successes, trials }) => ({
        successes: sum.successes + successes,
        trials: sum.trials + trials,
      }),
      noTally,
    );
}

/** The least signal of each level in the name of a bucket. */
const leastSignals = [0, 0.2, 0.5];

/** A bucket and the coarser ones that it belongs to. */
function chainOf(bucket: string): readonly string[] {
  const levels = bucket
    .slice(bucket.indexOf('-') + 1)
    .split('')
    .map(Number);
  const signals = signalNames.map((name, index) => [name, leastSignals[levels[index] ?? 0] ?? 0] as const);
  return bucketsOf(Object.fromEntries(signals));
}

/** The arm that this search tries, if its draw falls into the share of exploration, which the arms divide. */
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
