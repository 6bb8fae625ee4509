// Measures the quality of the ranking on data sets with judgements, and the time that it takes.
import { probability, type ModelScale } from '../src/domain/ranking/calibration.ts';
import { fuse, type FusionWeights } from '../src/domain/ranking/fusion.ts';
import {
  casesOf,
  leaveOut,
  rank,
  CONTEXT_PARTS,
  type Case,
  type Score,
  type ContextPart,
} from './ranking/candidates.ts';
import { readDataSets, type DataSet } from './ranking/datasets.ts';
import { cosine, embedSet, openModel, type BenchModel, type SetVectors } from './ranking/embed.ts';
import { calibrationError, mean, rankingScores, type Outcome } from './ranking/metrics.ts';
import type { Benchmark } from './support/benchmark.ts';
import type { Report, Table } from './support/report.ts';
import { percentile } from './support/statistics.ts';

const threshold = 0.7;
/** Queries per set that are embedded again to measure the time. */
const timedQueries = 100;

interface Embedded extends SetVectors {
  readonly set: DataSet;
}

/** Cases by the name under which they are reported: a set, or a part of one. */
type Groups = ReadonlyMap<string, readonly Case[]>;

export const retrieval: Benchmark = {
  name: 'retrieval',
  about: 'quality of the ranking on data sets with judgements (--data DIR), and its time',
  async run({ data, embedder }, report) {
    if (data === undefined) return report.note('left out: --data names no data sets');
    const model = await openModel(embedder);
    const embedded: Embedded[] = [];
    for (const set of await readDataSets(data)) embedded.push({ set, ...(await embedSet(model, set)) });
    const groups = groupsOf(embedded);
    await measureTime(model, embedded, groups, report);
    await model.close();
    reportRanking(model.scale, groups, report);
    reportAblation(model.scale, groups, report);
    reportCalibration(model.scale, groups, report);
    for (const { set } of embedded) checkGold(set, report);
    report.note(
      `${model.embedder.model.id}; each query in its own scope, exact nearest neighbours, term statistics of its tenant; one setting for all sets`,
    );
  },
};

function groupsOf(embedded: readonly Embedded[]): Groups {
  const groups = new Map<string, readonly Case[]>();
  for (const { set, ...vectors } of embedded) {
    const cases = casesOf(set, vectors);
    const parts = ['simple', 'complex'].map((part) => cases.filter(({ query }) => query.category === part));
    // Questions that one memory answers are a different task from those that many answer.
    if (parts.every((part) => part.length > 0)) {
      groups.set(`${set.name} simple`, parts[0]!);
      groups.set(`${set.name} complex`, parts[1]!);
    } else groups.set(set.name, cases);
  }
  return groups;
}

/** Fused evidence without the omitted parts of a memory's context. */
const fusedBy =
  (weights: FusionWeights, ...left: ContextPart[]): Score =>
  (found) =>
    fuse(leaveOut(found, left), weights);
const probabilityBy =
  (scale: ModelScale): Score =>
  (found) =>
    probability(fuse(found, scale.fusion), found, scale);

function reportRanking(scale: ModelScale, groups: Groups, report: Report): void {
  const variants: [string, Score][] = [
    ['BM25 of textbooks', ({ textbook }) => textbook || undefined],
    ['BM25, ours', ({ ownLexical }) => ownLexical || undefined],
    ['vectors', ({ cosine: near }) => near],
    ['hybrid: words and vectors', fusedBy(scale.fusion, ...CONTEXT_PARTS)],
    ['ours: with what surrounds', probabilityBy(scale)],
  ];
  for (const measure of ['ndcg', 'recall'] as const) {
    const rows = variants.map(([name, score]) => [name, ...means(groups, score, measure)]);
    const title = `${measure === 'ndcg' ? 'nDCG' : 'recall'}@10`;
    report.table({ title, header: ['', ...groups.keys()], rows });
  }
}

/** How much quality is lost when one signal is left out. */
function reportAblation({ fusion }: ModelScale, groups: Groups, report: Report): void {
  const variants: [string, Score][] = [
    ['all', fusedBy(fusion)],
    ['without words', ({ lexical: _, ...found }) => fuse({ ...found, overlap: 0 }, fusion)],
    ['without vectors', ({ cosine: _, ...found }) => fuse(found, fusion)],
    ['without the gain of near vectors', fusedBy({ ...fusion, nearGain: 0 })],
    ['without overlap', fusedBy({ ...fusion, overlap: 0 })],
    ['without the window', fusedBy(fusion, 'window')],
    ['without the speaker', fusedBy(fusion, 'speaker')],
    ['without the time asked about', fusedBy(fusion, 'dated')],
  ];
  const rows = variants.map(([name, score]) => [name, ...means(groups, score, 'ndcg')]);
  report.table({ title: 'nDCG@10 without a signal', header: ['', ...groups.keys()], rows });
}

function means(groups: Groups, score: Score, measure: 'ndcg' | 'recall'): number[] {
  return [...groups.values()].map((cases) =>
    mean(
      cases.map(({ found, gold }) => {
        const ranked = rank(found, score).map(({ key }) => key);
        return rankingScores(ranked, gold)[measure];
      }),
    ),
  );
}

/** Expected calibration error of the first ten results, and how many results pass the default threshold. */
function reportCalibration(scale: ModelScale, groups: Groups, report: Report): void {
  const firsts = new Map<string, readonly (readonly Outcome[])[]>();
  for (const [name, cases] of groups)
    firsts.set(
      name,
      cases.map(({ found }) => rank(found, probabilityBy(scale)).slice(0, 10)),
    );
  const told: ReadonlyMap<string, readonly (readonly Outcome[])[]> = new Map([
    ['pooled', [...firsts.values()].flat()],
    ...firsts,
  ]);
  const row = (name: string, of: (answers: readonly (readonly Outcome[])[]) => number | undefined) => [
    name,
    ...[...told.values()].map(of),
  ];
  const sure = (answers: readonly (readonly Outcome[])[]): Outcome[] =>
    answers.flat().filter(({ score }) => score >= threshold);
  const table: Table = {
    title: 'how sure a score is, over the first 10 results',
    header: ['', ...told.keys()],
    rows: [
      row('expected calibration error, 10 bins', (answers) => calibrationError(answers.flat())),
      row(`queries with a result of ${threshold} or more`, (answers) =>
        mean(answers.map((answer) => ((answer[0]?.score ?? 0) >= threshold ? 1 : 0))),
      ),
      row('of these results relevant', (answers) =>
        sure(answers).length === 0
          ? undefined
          : mean(sure(answers).map(({ relevant }) => (relevant ? 1 : 0))),
      ),
    ],
  };
  report.table(table);
}

/** Time to embed each query, find its candidates and score them, one query after another. */
async function measureTime(
  { embedder, scale }: BenchModel,
  embedded: readonly Embedded[],
  groups: Groups,
  report: Report,
): Promise<void> {
  const all = [...groups.values()].flat();
  for (const { set, queries } of embedded) {
    const sample = all.filter((one) => one.set === set.name).slice(0, timedQueries);
    const embedding: number[] = [];
    const ranking: number[] = [];
    let same = true;
    for (const { query, found, ms } of sample) {
      const start = performance.now();
      // Has the same tokens but misses the cache of vectors.
      const [vector] = await embedder.embed([`${query.query} `], 'query');
      const embeddedAt = performance.now();
      rank(found, probabilityBy(scale));
      embedding.push(embeddedAt - start);
      ranking.push(ms + performance.now() - embeddedAt);
      same &&= cosine(vector!, queries[set.queries.indexOf(query)]!) > 0.999_99;
    }
    for (const [what, times] of [
      ['embedding of a query', embedding],
      ['ranking, all vectors in scope compared', ranking],
    ] as const)
      for (const p of [0.5, 0.95])
        report.figure({
          name: `${set.name}, ${what}, p${100 * p}`,
          value: percentile(times, p),
          unit: 'ms',
        });
    report.check(`${set.name}: the kept vectors are those of the model`, same);
  }
}

function checkGold({ name, memories, queries }: DataSet, report: Report): void {
  const known = new Set(memories.flatMap(({ id, metadata }) => [id, metadata?.doc]));
  const unknown = queries.filter(({ gold, gold_docs: docs }) => (docs ?? gold).some((id) => !known.has(id)));
  const detail = `${queries.length} queries, ${memories.length} memories`;
  report.check(`${name}: every answer is among the memories`, unknown.length === 0, detail);
}
