// Fits what a search without a threshold shows: floor, focus point and distance, in log-odds. See README.md.
import { parseArgs } from 'node:util';
import { probability, type ModelScale } from '../../src/domain/ranking/calibration.ts';
import { fuse } from '../../src/domain/ranking/fusion.ts';
import { logOdds } from '../../src/domain/ranking/score-scale.ts';
import { casesOf, rank, type Case } from './candidates.ts';
import { readDataSet, type DataSet, type Query } from './datasets.ts';
import { embedSet, openModel, type SetVectors } from './embed.ts';
import { mean } from './metrics.ts';

const SETS = ['locomo', 'beam-100k', 'orgmem', 'scifact'];
const FLOORS = [-6, -5.5, -5, -4.5];
const FOCUS_POINTS = [-4.4, -4.3, -4.2, -4.1, -4, -3.9, -3.8];
const DISTANCES = [2, 2.5, 3];
/** Questions that fit any world. */
const ANYWHERE = new Set(['time', 'aggregate', 'preference']);
const SHOWN = 10;

interface Cut {
  readonly floor: number;
  readonly focus: number;
  readonly distance: number;
}

interface Hit {
  readonly key: string;
  readonly logOdds: number;
}

interface Question {
  readonly gold: ReadonlySet<string>;
  /** Best first. */
  readonly hits: readonly Hit[];
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { data: { type: 'string' }, embedder: { type: 'string' } } });
  if (values.data === undefined) throw new Error('usage: focus.ts --data DIR [--embedder MODEL]');
  const model = await openModel(values.embedder);
  const questionsOf = (cases: readonly Case[]) => cases.map((one) => questionOf(one, model.scale));
  const everyday = await readDataSet(values.data, 'everyday');
  const vectors = await embedSet(model, everyday);
  const own = questionsOf(casesOf(everyday, vectors));
  const elsewhere = questionsOf(casesElsewhere(everyday, vectors));
  const sets: (readonly [string, readonly Question[]])[] = [];
  for (const name of SETS) {
    const set = await readDataSet(values.data, name);
    sets.push([name, questionsOf(casesOf(set, await embedSet(model, set)))]);
  }
  await model.close();

  console.log(`answerability: ${areaUnderCurve(own).toFixed(3)}`);
  console.log(`floor focus distance | found first size silent | ${SETS.join(': kept size, ')}: kept size`);
  for (const floor of FLOORS)
    for (const focus of FOCUS_POINTS)
      for (const distance of DISTANCES)
        if (focus > floor) printCut({ floor, focus, distance }, own, elsewhere, sets);
}

/** Each question asked in another world, where nothing answers it, without its scope. */
function casesElsewhere(set: DataSet, vectors: SetVectors): Case[] {
  const worlds = [...new Set(set.queries.map(({ scope }) => scope['tenant'] ?? ''))];
  const asked = set.queries
    .map((query, index) => ({ query, vector: vectors.queries[index]! }))
    .filter(({ query }) => !ANYWHERE.has(query.kind ?? ''));
  const queries = asked.map(({ query }): Query => {
    const tenant = worlds[(worlds.indexOf(query.scope['tenant'] ?? '') + 1) % worlds.length]!;
    return { ...query, gold: [], scope: { tenant } };
  });
  return casesOf({ ...set, queries }, { ...vectors, queries: asked.map(({ vector }) => vector) });
}

function questionOf({ gold, found }: Case, scale: ModelScale): Question {
  const hits = rank(found, (one) => logOdds(probability(fuse(one, scale.fusion), one, scale)));
  return { gold, hits: hits.map(({ key, score }) => ({ key, logOdds: score })) };
}

function shown({ hits }: Question, { floor, focus, distance }: Cut): readonly Hit[] {
  const best = hits[0]?.logOdds ?? -Infinity;
  if (best < focus) return [];
  return hits.filter((hit) => hit.logOdds >= Math.max(floor, best - distance)).slice(0, SHOWN);
}

function printCut(
  cut: Cut,
  own: readonly Question[],
  elsewhere: readonly Question[],
  sets: readonly (readonly [string, readonly Question[]])[],
): void {
  const answerable = own.filter(({ gold }) => gold.size > 0);
  const answers = answerable.map((question) => ({ ...question, answer: shown(question, cut) }));
  const figures = [
    mean(answers.map(({ gold, answer }) => Number(answer.some(({ key }) => gold.has(key))))),
    mean(answers.map(({ gold, answer }) => Number(gold.has(answer[0]?.key ?? '')))),
    mean(answers.map(({ answer }) => answer.length)),
    mean(elsewhere.map((question) => Number(shown(question, cut).length === 0))),
  ];
  const perSet = sets.map(([, questions]) => {
    const recall = (question: Question, hits: readonly Hit[]) =>
      hits.filter(({ key }) => question.gold.has(key)).length / question.gold.size;
    const kept = mean(questions.map((question) => recall(question, shown(question, cut))));
    const most = mean(questions.map((question) => recall(question, question.hits.slice(0, SHOWN))));
    const size = mean(questions.map((question) => shown(question, cut).length));
    return `${(kept / most).toFixed(3)} ${size.toFixed(1)}`;
  });
  const cells = figures.map((figure) => figure.toFixed(3)).join(' ');
  console.log(`${cut.floor} ${cut.focus} ${cut.distance} | ${cells} | ${perSet.join(', ')}`);
}

/** Probability that a question with an answer has a better best result than one without. */
function areaUnderCurve(questions: readonly Question[]): number {
  const best = ({ hits }: Question) => hits[0]?.logOdds ?? -Infinity;
  const answered = questions.filter(({ gold }) => gold.size > 0).map(best);
  const unanswered = questions.filter(({ gold }) => gold.size === 0).map(best);
  return mean(
    answered.flatMap((one) => unanswered.map((other) => (one > other ? 1 : one === other ? 0.5 : 0))),
  );
}
