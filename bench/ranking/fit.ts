// Measures the ranking on retrieval data sets and fits its few parameters. See README.md.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Line } from '../../src/domain/ranking/calibration.ts';
import { fuse, type FusionWeights } from '../../src/domain/ranking/fusion.ts';
import { BGE_SMALL } from '../../src/domain/ranking/scales.ts';
import { casesOf, rank, type Case, type Found, type Ranked } from './candidates.ts';
import { readDataSet } from './datasets.ts';
import { embedAll, QUERY_PREFIX } from './embed.ts';
import { applyLine, fitLine } from './logistic.ts';
import { calibrationError, rankingScores, type Outcome } from './metrics.ts';

const SETS = ['locomo', 'beam-100k', 'orgmem', 'scifact'];
const FOLDS = 5;
const DEFAULT_THRESHOLD = 0.7;
const LEXICAL_GRID = [0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.24, 0.28];
const NEAR_GAIN_GRID = [0, 0.3, 0.6, 1, 1.5];

type Score = (found: Found) => number | undefined;

const byWords: Score = ({ lexical }) => (lexical === undefined || lexical === 0 ? undefined : lexical);
const byVector: Score = ({ cosine }) => cosine;
const fused =
  (weights: FusionWeights): Score =>
  (found) =>
    fuse(found, weights);
/** As calibration sees a candidate whose other signal is missing. */
const fusedWithout =
  (weights: FusionWeights, missing: 'cosine' | 'lexical'): Score =>
  (found) => {
    const { [missing]: _, ...rest } = found;
    return missing === 'cosine' ? fuse(rest, weights) : fuse({ ...rest, overlap: 0 }, weights);
  };

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { data: { type: 'string' }, model: { type: 'string' }, runs: { type: 'string' } },
  });
  if (values.data === undefined || values.model === undefined) {
    throw new Error('usage: fit.ts --data DIR --model DIR [--runs DIR]');
  }
  const cases = new Map<string, Case[]>();
  for (const name of SETS) cases.set(name, await load(values.data, values.model, name));

  const { fusion, both, denseOnly, lexicalOnly } = BGE_SMALL;
  console.log('\nnDCG@10 / recall@10 / MRR@10');
  printRanking('words alone (BM25)', cases, byWords);
  printRanking('vector alone', cases, byVector);
  printRanking('fused, as shipped', cases, fused(fusion));

  console.log('\nfusion weights, mean nDCG@10 over the sets');
  const best = bestWeights([...cases.values()]);
  console.log(`all sets: lexical ${best.lexical}, nearGain ${best.nearGain}`);
  for (const [name, held] of cases) {
    const others = [...cases].filter(([other]) => other !== name).map(([, list]) => list);
    const chosen = bestWeights(others);
    const ndcg = meanNdcg(held, fused(chosen)).toFixed(4);
    console.log(`without ${name}: lexical ${chosen.lexical}, nearGain ${chosen.nearGain} -> ${name} ${ndcg}`);
  }

  console.log('\ncalibration over the first 10 results: ECE in 10 bins of equal mass');
  printCalibration('both', cases, fused(fusion), both);
  printCalibration('denseOnly', cases, fusedWithout(fusion, 'lexical'), denseOnly);
  printCalibration('lexicalOnly', cases, fusedWithout(fusion, 'cosine'), lexicalOnly);

  if (values.runs !== undefined) await writeRuns(values.runs, cases, fused(fusion));
}

async function load(data: string, model: string, name: string): Promise<Case[]> {
  const set = await readDataSet(data, name);
  const queries = await embedAll(
    model,
    set.queries.map(({ query }) => QUERY_PREFIX + query),
    `${name}-queries`,
  );
  const memories = await embedAll(
    model,
    set.memories.map(({ text }) => text),
    `${name}-memories`,
  );
  return casesOf(set, memories, queries);
}

function printRanking(label: string, cases: ReadonlyMap<string, Case[]>, score: Score): void {
  console.log(label);
  for (const [name, list] of cases) {
    const groups = new Map([[name, list]]);
    if (name === 'orgmem') {
      for (const category of ['simple', 'complex']) {
        groups.set(
          `${name} ${category}`,
          list.filter(({ query }) => query.category === category),
        );
      }
    }
    for (const [group, members] of groups) {
      const scores = members.map((one) =>
        rankingScores(
          rank(one.found, score).map(({ key }) => key),
          one.gold,
        ),
      );
      const figures = (['ndcg', 'recall', 'mrr'] as const).map((key) =>
        mean(scores.map((s) => s[key])).toFixed(4),
      );
      console.log(`  ${group.padEnd(16)} ${figures.join('  ')}  (${members.length})`);
    }
  }
}

function meanNdcg(list: readonly Case[], score: Score): number {
  return mean(
    list.map(
      ({ found, gold }) =>
        rankingScores(
          rank(found, score).map(({ key }) => key),
          gold,
        ).ndcg,
    ),
  );
}

function bestWeights(sets: readonly (readonly Case[])[]): FusionWeights {
  let best = { weights: BGE_SMALL.fusion, ndcg: -1 };
  for (const lexical of LEXICAL_GRID) {
    for (const nearGain of NEAR_GAIN_GRID) {
      const weights = { ...BGE_SMALL.fusion, lexical, nearGain };
      const ndcg = mean(sets.map((list) => meanNdcg(list, fused(weights))));
      if (ndcg > best.ndcg) best = { weights, ndcg };
    }
  }
  return best.weights;
}

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

function printCalibration(
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

/** Each row scored by the line fitted on the rows of the other groups. */
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

async function writeRuns(folder: string, cases: ReadonlyMap<string, Case[]>, score: Score): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, list] of cases) {
    const lines = list.map(({ query, found }) =>
      JSON.stringify({ id: query.id, results: rank(found, score).map(({ memory }) => memory) }),
    );
    await writeFile(path.join(folder, `${name}.jsonl`), `${lines.join('\n')}\n`);
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
