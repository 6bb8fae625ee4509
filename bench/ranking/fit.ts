// Measures the ranking on retrieval data sets and fits its few parameters. See README.md.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fuse, type FusionWeights } from '../../src/domain/ranking/fusion.ts';
import type { ModelScale } from '../../src/domain/ranking/calibration.ts';
import { BGE_SMALL } from '../../src/domain/ranking/scales.ts';
import { fitCalibration, printCalibration } from './calibration.ts';
import {
  casesOf,
  leaveOut,
  rank,
  CONTEXT_PARTS,
  type Case,
  type Score,
  type ContextPart,
} from './candidates.ts';
import { readDataSet, type DataSet } from './datasets.ts';
import { embedSet, openModel, type SetVectors } from './embed.ts';
import { mean, rankingScores } from './metrics.ts';

const SETS = ['locomo', 'beam-100k', 'orgmem', 'scifact', 'everyday'];
const LEXICAL_GRID = [0.08, 0.1, 0.115, 0.13, 0.145, 0.16, 0.18, 0.2];
const NEAR_GAIN_GRID = [0, 0.3, 0.6, 1, 1.5];
const SPREAD_GRID = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1, 1.2, 1.5, 2];

const byWords: Score = ({ lexical }) => (lexical === undefined || lexical === 0 ? undefined : lexical);
const byVector: Score = ({ cosine }) => cosine;
const fused =
  (weights: FusionWeights): Score =>
  (found) =>
    fuse(found, weights);
/** Fused score of a candidate without one of its signals, as calibration needs it. */
const fusedWithout =
  (weights: FusionWeights, missing: 'cosine' | 'lexical'): Score =>
  (found) => {
    if (missing === 'lexical')
      return found.cosine === undefined ? 0 : fuse({ cosine: found.cosine, overlap: 0 }, weights);
    const { cosine: _, ...rest } = found;
    return fuse(rest, weights);
  };

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string' },
      embedder: { type: 'string' },
      runs: { type: 'string' },
      ablate: { type: 'boolean', default: false },
    },
  });
  if (values.data === undefined) {
    throw new Error('usage: fit.ts --data DIR [--embedder MODEL] [--runs DIR] [--ablate]');
  }
  const model = await openModel(values.embedder);
  const embedded: Embedded[] = [];
  for (const name of SETS) {
    const set = await readDataSet(values.data, name);
    embedded.push({ set, ...(await embedSet(model, set)) });
  }
  await model.close();
  const { fusion, both, denseOnly, lexicalOnly } = model.scale;
  if (values.ablate) {
    printAblation(casesOfAll(embedded), fusion);
    return;
  }
  const cases = casesOfAll(embedded);
  console.log('\nnDCG@10 / recall@10 / MRR@10');
  printRanking('words alone (BM25)', cases, byWords);
  printRanking('vector alone', cases, byVector);
  printRanking('fused, as shipped', cases, fused(fusion));

  console.log('\nfusion weights, mean nDCG@10 over the sets');
  const best = bestWeights([...cases.values()], fusion);
  console.log(`all sets: lexical ${best.lexical}, nearGain ${best.nearGain}`);
  for (const [name, held] of cases) {
    const others = [...cases].filter(([other]) => other !== name).map(([, list]) => list);
    const chosen = bestWeights(others, fusion);
    const ndcg = meanNdcg(held, fused(chosen)).toFixed(4);
    console.log(`without ${name}: lexical ${chosen.lexical}, nearGain ${chosen.nearGain} -> ${name} ${ndcg}`);
  }

  console.log('\ncalibration over the first 10 results: ECE in 10 bins of equal mass');
  printCalibration('both', cases, fused(fusion), both);
  printCalibration('denseOnly', cases, fusedWithout(fusion, 'lexical'), denseOnly);
  printCalibration('lexicalOnly', cases, fusedWithout(fusion, 'cosine'), lexicalOnly);

  console.log('\na scale of its own, to register the model with');
  console.log(JSON.stringify(fitScale(cases)));

  if (values.runs !== undefined) await writeRuns(values.runs, cases, fused(fusion));
}

interface Embedded extends SetVectors {
  readonly set: DataSet;
}

/** Nothing ranks a question that no memory answers. */
function answerable(cases: readonly Case[]): Case[] {
  return cases.filter(({ gold }) => gold.size > 0);
}

function casesOfAll(embedded: readonly Embedded[]): Map<string, Case[]> {
  return new Map(embedded.map(({ set, ...vectors }) => [set.name, answerable(casesOf(set, vectors))]));
}

/** Prints the effect of each part of the context beside a memory's own words and vector. */
function printAblation(cases: ReadonlyMap<string, Case[]>, weights: FusionWeights): void {
  const variants: [string, readonly ContextPart[]][] = [
    ['none', []],
    ...CONTEXT_PARTS.map((one): [string, readonly ContextPart[]] => [`${one} alone`, [one]]),
    ...CONTEXT_PARTS.map((one): [string, readonly ContextPart[]] => [
      `all but ${one}`,
      CONTEXT_PARTS.filter((other) => other !== one),
    ]),
    ['all', CONTEXT_PARTS],
  ];
  console.log('\nnDCG@10 / recall@10 / MRR@10');
  for (const [label, known] of variants) {
    const left = CONTEXT_PARTS.filter((one) => !known.includes(one));
    printRanking(label, cases, (found) => fuse(leaveOut(found, left), weights));
  }
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

function bestWeights(sets: readonly (readonly Case[])[], from: FusionWeights): FusionWeights {
  let best = { weights: from, ndcg: -1 };
  for (const lexical of LEXICAL_GRID) {
    for (const nearGain of NEAR_GAIN_GRID) {
      const weights = { ...from, lexical, nearGain };
      const ndcg = mean(sets.map((list) => meanNdcg(list, fused(weights))));
      if (ndcg > best.ndcg) best = { weights, ndcg };
    }
  }
  return best.weights;
}

/**
 * Fits a scale for a model without one: the weights of the shipped model times one factor, because they are in units of cosine and
 * models spread their cosines differently, and the three lines of the calibration.
 */
function fitScale(cases: ReadonlyMap<string, Case[]>): ModelScale {
  let best = { fusion: BGE_SMALL.fusion, ndcg: -1 };
  for (const factor of SPREAD_GRID) {
    const fusion = scaled(BGE_SMALL.fusion, factor);
    const ndcg = mean([...cases.values()].map((list) => meanNdcg(list, fused(fusion))));
    if (ndcg > best.ndcg) best = { fusion, ndcg };
  }
  const { fusion } = best;
  return {
    fusion,
    both: fitCalibration(cases, fused(fusion)),
    denseOnly: fitCalibration(cases, fusedWithout(fusion, 'lexical')),
    lexicalOnly: fitCalibration(cases, fusedWithout(fusion, 'cosine')),
  };
}

/** The gain of near cosines is left out, because cosines count as near at a different value in each model. */
function scaled({ lexical, overlap, speaker, dated }: FusionWeights, factor: number): FusionWeights {
  const round = (weight: number): number => Number((weight * factor).toFixed(4));
  return {
    lexical: round(lexical),
    nearCosine: 1,
    nearGain: 0,
    overlap: round(overlap),
    speaker: { asker: round(speaker.asker), named: round(speaker.named) },
    dated: round(dated),
  };
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
