// How well scores are calibrated, as shipped and cross-validated.
import type { Line } from '../../src/domain/ranking/calibration.ts';
import { rank, type Case, type Ranked, type Score } from './candidates.ts';
import { applyLine, fitLine } from './logistic.ts';
import { calibrationError, mean, type Outcome } from './metrics.ts';

const FOLDS = 5;
const DEFAULT_THRESHOLD = 0.7;

interface Row extends Outcome {
  readonly set: string;
  readonly query: string;
}

function firstTen(cases: ReadonlyMap<string, Case[]>, score: Score): Row[] {
  return [...cases.values()].flat().flatMap((one) =>
    rank(one.found, score)
      .slice(0, 10)
      .map((hit: Ranked) => ({
        score: hit.score,
        relevant: hit.relevant,
        set: one.set,
        query: one.query.id,
      })),
  );
}

/** Fits the line of log-odds over `score` to the first ten results of each query; coefficients have two decimals. */
export function fitCalibration(cases: ReadonlyMap<string, Case[]>, score: Score): Line {
  const { intercept, slope } = fitLine(firstTen(cases, score));
  return { intercept: Number(intercept.toFixed(2)), slope: Number(slope.toFixed(2)) };
}

/** Prints the fitted line of log-odds over `score`, and the calibration errors of the fitted and of the shipped line. */
export function printCalibration(
  label: string,
  cases: ReadonlyMap<string, Case[]>,
  score: Score,
  shipped: Line,
): void {
  const rows = firstTen(cases, score);
  const fitted = fitLine(rows);
  console.log(`${label}: fitted intercept ${fitted.intercept.toFixed(2)}, slope ${fitted.slope.toFixed(2)}`);
  const perQuery = crossFit(rows, ({ query }) => String(fold(query)));
  const perSet = crossFit(rows, ({ set }) => set);
  const sets = [...cases.keys()];
  const columns = (list: readonly (Outcome & { set: string })[]) =>
    [list, ...sets.map((set) => list.filter((row) => row.set === set))]
      .map((part) => calibrationError(part).toFixed(4))
      .join('  ');
  console.log(`  ECE                  pooled  ${sets.join('  ')}`);
  const now = applyLine(rows, shipped).map((outcome, i) => ({ ...(rows[i] as Row), ...outcome }));
  console.log(`  as shipped           ${columns(now)}`);
  console.log(`  ${FOLDS} folds of queries   ${columns(perQuery)}`);
  console.log(`  leaving the set out  ${columns(perSet)}`);
  const sure = now.filter((row) => row.score >= DEFAULT_THRESHOLD);
  const share = sets.map((set) => {
    const answered = new Set(sure.filter((row) => row.set === set).map(({ query }) => query)).size;
    return `${set} ${((100 * answered) / (cases.get(set)?.length ?? 1)).toFixed(1)} %`;
  });
  const precision = mean(sure.map(({ relevant }) => (relevant ? 1 : 0)));
  console.log(
    `  queries with a result >= ${DEFAULT_THRESHOLD}: ${share.join(', ')}; ${(100 * precision).toFixed(0)} % of those relevant`,
  );
}

/** The probability of each row by the line that was fitted to the rows of the other groups. */
function crossFit(rows: readonly Row[], groupOf: (row: Row) => string): Row[] {
  return [...new Set(rows.map(groupOf))].flatMap((group) => {
    const line = fitLine(rows.filter((row) => groupOf(row) !== group));
    const held = rows.filter((row) => groupOf(row) === group);
    return applyLine(held, line).map((outcome, i) => ({ ...(held[i] as Row), ...outcome }));
  });
}

function fold(query: string): number {
  let hash = 0;
  for (const character of query) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return hash % FOLDS;
}
