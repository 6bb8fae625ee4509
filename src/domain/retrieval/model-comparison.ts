import { z } from 'zod';

/** How many of the first results are compared. */
export const compared = 10;

export const modelComparison = z.object({
  model: z.string().meta({ description: 'Id of the new embedding model' }),
  liveModel: z.string().meta({ description: 'Id of the embedding model that queries use' }),
  queries: z.int().meta({ description: 'Number of queries that both models answered' }),
  overlap: z.number().optional().meta({
    description:
      'Share of the first 10 results that both models have in common, 0 to 1, averaged over the queries',
  }),
  judged: z.object({ queries: z.int(), ndcg: z.number(), liveNdcg: z.number() }).optional().meta({
    description:
      'nDCG@10 of both models, from the feedback on recorded searches. Favors the live model, because only results that it found can have feedback',
  }),
});

/** Comparison of the answers of two embedding models. */
export type ModelComparison = z.infer<typeof modelComparison>;

/** Results of one query by both models, best first. */
export interface ComparedAnswers {
  readonly fresh: readonly string[];
  readonly live: readonly string[];
  /** By memory id: whether the caller called it helpful. Absent if there was no feedback. */
  readonly judgements?: ReadonlyMap<string, boolean> | undefined;
}

/** Number of first results in common, divided by the length of the longer list; 1 if both are empty. */
export function overlapOf({ fresh, live }: Pick<ComparedAnswers, 'fresh' | 'live'>): number {
  const [left, right] = [fresh.slice(0, compared), new Set(live.slice(0, compared))];
  const most = Math.max(left.length, right.size);
  return most === 0 ? 1 : left.filter((id) => right.has(id)).length / most;
}

/**
 * Binary nDCG of the first results: gain 1 / log2(rank + 1), ideal over all relevant ones. Undefined if there are none. Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4), 2002.
 */
export function ndcgOf(ranked: readonly string[], relevant: ReadonlySet<string>): number | undefined {
  if (relevant.size === 0) return undefined;
  const gain = (rank: number): number => 1 / Math.log2(rank + 2);
  let ideal = 0;
  for (let rank = 0; rank < Math.min(relevant.size, compared); rank++) ideal += gain(rank);
  let found = 0;
  for (const [rank, id] of ranked.slice(0, compared).entries()) if (relevant.has(id)) found += gain(rank);
  return found / ideal;
}

/** Compares all answers of two models, by the means of the measures above. */
export function compareAnswers(
  models: Pick<ModelComparison, 'model' | 'liveModel'>,
  answers: readonly ComparedAnswers[],
): ModelComparison {
  const judged = answers.flatMap(({ fresh, live, judgements = new Map() }) => {
    const relevant = new Set([...judgements].flatMap(([id, isHelpful]) => (isHelpful ? [id] : [])));
    const [ndcg, liveNdcg] = [ndcgOf(fresh, relevant), ndcgOf(live, relevant)];
    return ndcg === undefined || liveNdcg === undefined ? [] : [{ ndcg, liveNdcg }];
  });
  return {
    ...models,
    queries: answers.length,
    ...(answers.length > 0 && { overlap: mean(answers.map(overlapOf)) }),
    ...(judged.length > 0 && {
      judged: {
        queries: judged.length,
        ndcg: mean(judged.map(({ ndcg }) => ndcg)),
        liveNdcg: mean(judged.map(({ liveNdcg }) => liveNdcg)),
      },
    }),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
