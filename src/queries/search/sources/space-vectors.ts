import type { ModelCosine } from '../../../domain/ranking/score.ts';
import { spaceVectorsOf } from '../../../read-models/vectors/tables.ts';
import { Parameters } from '../../sql-builder.ts';
import { lookupsOf } from '../lookups.ts';
import type { QueryVector } from '../query-vectors.ts';
import type { CandidateQuery, CandidateSource, Hit } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { ExactVectorSource } from './exact-vectors.ts';
import type { PrefilterSet } from './prefilter-set.ts';
import { negativeCosine } from './signals.ts';

/** Compares the vectors that the model of a space made with the query's vector of that model, one by one. Its hits have no cosine. */
export class SpaceVectorSource implements CandidateSource {
  readonly #vectors: CandidateSource;
  readonly #context: SourceContext;
  readonly #question: QueryVector;

  constructor(context: SourceContext, question: QueryVector, set?: PrefilterSet) {
    this.#context = context;
    this.#question = question;
    // What is kept in RAM is of another model.
    this.#vectors = new ExactVectorSource({ ...context, vectors: undefined, passages: undefined }, set);
  }

  get kind() {
    return 'space-model' as const;
  }

  async find(query: CandidateQuery, limit: number): Promise<readonly Hit[]> {
    const { vector, model } = this.#question;
    const table = spaceVectorsOf(model.id, this.#context.view.table('vectors'));
    const hits = await this.#vectors.find({ ...query, dense: { vector, table } }, limit);
    return hits.map((hit) => ({ ...hit, cosine: null }));
  }
}

/** The cosines by the models of spaces, by memory id, of those memories that have such vectors. */
export async function readSpaceCosines(
  { tx, view }: SourceContext,
  tenant: string,
  questions: readonly QueryVector[],
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly ModelCosine[]>> {
  const cosines = new Map<string, ModelCosine[]>();
  if (ids.length === 0) return cosines;
  const read = async ({ vector, model }: QueryVector): Promise<void> => {
    const parameters = new Parameters();
    const lookup = lookupsOf(tenant, parameters);
    const cosine = `-(${negativeCosine('t.embedding', `${parameters.bind(vector)}::vector`)}) as cosine`;
    const rows = await tx.query<{ memory_id: string; cosine: number }>(
      `select found.memory_id, k.cosine from unnest(${parameters.bind([...ids])}::uuid[]) as found(memory_id)
       cross join ${lookup(cosine, spaceVectorsOf(model.id, view.table('vectors')))} k`,
      parameters.values,
    );
    for (const { memory_id: id, cosine } of rows)
      cosines.set(id, [...(cosines.get(id) ?? []), { model: model.id, cosine }]);
  };
  await Promise.all(questions.map(read));
  return cosines;
}
