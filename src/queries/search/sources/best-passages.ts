import { bestPassage, type PassageMatch } from '../../../domain/ranking/best-passage.ts';
import type { WeightedTerms } from '../../../domain/ranking/bm25.ts';
import { lengthsOf, placesOf } from '../../../domain/text/passage-terms.ts';
import type { NearPassage } from '../../../ports/vector-index.ts';
import { placeInMemory } from '../../../read-models/vectors/representations.ts';
import { Parameters } from '../../sql-builder.ts';
import { lookupsOf } from '../lookups.ts';
import type { CandidateQuery, DenseQuery, Hit, TextSignal } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { negativeCosine } from './signals.ts';
import { placesColumn } from './term-columns.ts';

/** Which passages of a long memory match best, by each signal. */
export interface BestPassages {
  readonly byWords?: PassageMatch | undefined;
  readonly byMeaning?: NearPassage | undefined;
}

/** Adds the best passages, and the cosine of the whole text, to the hits whose texts are long, whatever source found them. */
export async function withPassages<Found extends Hit & TextSignal>(
  context: SourceContext,
  query: CandidateQuery,
  hits: readonly Found[],
): Promise<readonly (Found & BestPassages)[]> {
  const long = hits.filter((hit) => hit.passages !== null).map((hit) => hit.memory_id);
  if (long.length === 0) return hits;
  const { dense, weighted, region } = query;
  const [byWords, byMeaning, whole] = await Promise.all([
    passagesByWords(context, region.tenant, weighted, long),
    dense?.passages
      ? nearestPassages(context, region.tenant, { ...dense, table: dense.passages }, long)
      : undefined,
    dense?.passages ? wholeCosines(context, region.tenant, dense, long) : undefined,
  ]);
  return hits.map((hit) => {
    if (hit.passages === null) return hit;
    const { memory_id: id } = hit;
    const cosine = whole ? (whole.get(id) ?? null) : hit.cosine;
    const near = byMeaning?.get(id);
    return {
      ...hit,
      byWords: byWords.get(id),
      byMeaning: near && inMemory(near, hit.passages, cosine),
      cosine,
    };
  });
}

/**
 * The nearest passage with its number in the memory. If the content is nearer than every representation, the question is about the
 * content: its beginning, which is what the vector of the whole text is of.
 */
export function inMemory(near: NearPassage, count: number, whole: number | null): NearPassage {
  const passage = near.passage < 0 && (whole ?? -1) >= near.cosine ? 0 : placeInMemory(near.passage, count);
  return { ...near, passage };
}

async function passagesByWords(
  { tx, view, words }: SourceContext,
  tenant: string,
  weighted: WeightedTerms,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PassageMatch | undefined>> {
  if (weighted.terms.length === 0) return new Map();
  if (words) {
    const found = words.passages(weighted, ids);
    return new Map(ids.map((id, at) => [id, found[at]]));
  }
  const parameters = new Parameters();
  const lookup = lookupsOf(tenant, parameters);
  const columns = `t.passage_lengths as lengths, ${placesColumn(view, weighted.terms, parameters)} as places`;
  const rows = await tx.query<{ memory_id: string; lengths: string; places: (string | null)[] }>(
    `select found.memory_id, l.* from unnest(${parameters.bind([...ids])}::uuid[]) as found(memory_id)
     cross join ${lookup(columns, view.table('lexical'), 't.passage_lengths is not null')} l`,
    parameters.values,
  );
  return new Map(
    rows.map(({ memory_id, lengths, places }) => [memory_id, bestStored(weighted, lengths, places)]),
  );
}

/** The best passage, from the terms of passages in their stored form. */
export function bestStored(
  weighted: WeightedTerms,
  lengths: string,
  places: readonly (string | null)[],
): PassageMatch | undefined {
  const found = places.map((entries) => (entries === null ? undefined : placesOf(entries)));
  return bestPassage(weighted, found, lengthsOf(lengths));
}

async function wholeCosines(
  { tx, vectors }: SourceContext,
  tenant: string,
  { vector, table }: DenseQuery,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (vectors) {
    const cosines = vectors.cosines(vector, ids);
    return new Map(ids.flatMap((id, at) => (cosines[at] == null ? [] : [[id, cosines[at]] as const])));
  }
  const parameters = new Parameters();
  const negative = negativeCosine('t.embedding', `${parameters.bind(vector)}::vector`);
  const lookup = lookupsOf(tenant, parameters);
  const rows = await tx.query<{ memory_id: string; cosine: number }>(
    `select found.memory_id, k.cosine from unnest(${parameters.bind([...ids])}::uuid[]) as found(memory_id)
     cross join ${lookup(`-(${negative}) as cosine`, table, 't.embedding is not null')} k`,
    parameters.values,
  );
  return new Map(rows.map(({ memory_id, cosine }) => [memory_id, cosine]));
}

async function nearestPassages(
  { tx, passages }: SourceContext,
  tenant: string,
  { vector, table }: DenseQuery,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NearPassage>> {
  if (passages) {
    const nearest = passages.nearestPassages(vector, ids);
    return new Map(ids.flatMap((id, at) => (nearest[at] ? [[id, nearest[at]] as const] : [])));
  }
  const parameters = new Parameters();
  const negative = negativeCosine('p.embedding', `${parameters.bind(vector)}::vector`);
  const rows = await tx.query<{ memory_id: string } & NearPassage>(
    `select found.memory_id, k.* from unnest(${parameters.bind([...ids])}::uuid[]) as found(memory_id)
     cross join lateral (
       select p.n as passage, -(${negative}) as cosine from ${table} p
       where p.tenant = ${parameters.bind(tenant)} and p.memory_id = found.memory_id and p.embedding is not null
       order by ${negative}, p.n limit 1) k`,
    parameters.values,
  );
  return new Map(rows.map(({ memory_id, ...near }) => [memory_id, near]));
}
