import { questionKinds, type Judgement } from '../../domain/ranking/feedback.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';
import type { QueryVector } from './query-vectors.ts';

/** So many of the latest judgements of a memory are read. */
const mostJudgements = 1_000;

interface FeedbackDemand {
  readonly tenant: string;
  readonly ids: readonly string[];
  /** Of the question; without it no judged question can be compared. */
  readonly vector?: QueryVector | undefined;
  /** A position: the feedback of then. */
  readonly at?: number | undefined;
}

type Row = Judgement & { readonly memory_id: string; readonly cosine: number | null };

/** What callers said about these memories, by memory id, with how near the questions that they judged are to this one. */
export async function readFeedback(
  tx: SqlExecutor,
  view: ReadView,
  { tenant, ids, vector, at }: FeedbackDemand,
): Promise<ReadonlyMap<string, readonly Judgement[]>> {
  if (ids.length === 0) return new Map();
  const parameters = new Parameters();
  const [table, own] = [view.table('feedback'), parameters.bind(tenant)];
  const isComparable = vector !== undefined && variantOf(view.signature('feedback')) === vector.model.id;
  const cosine = isComparable
    ? `(select -(q.question <#> ${parameters.bind(vector.vector)}::vector) from ${table} q
        where f.kind = any (${parameters.bind(questionKinds)}::text[]) and q.tenant = ${own} and q.memory_id = f.memory_id
          and q.kind = 'question' and q.search_id = f.search_id and q.question is not null limit 1)`
    : 'null::float8';
  const until = at === undefined ? 'true' : `t.position <= ${parameters.bind(at)}`;
  const rows = await tx.query<Row>(
    `select f.memory_id, f.kind, f.principal, f.score, f.position, ${cosine} as cosine
     from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id)
     cross join lateral (
       select t.* from ${table} t
       where t.tenant = ${own} and t.memory_id = found.memory_id and t.kind <> 'question' and ${until}
       order by t.position desc limit ${mostJudgements}) f`,
    parameters.values,
  );
  const byMemory = new Map<string, Judgement[]>();
  for (const { memory_id: id, cosine: near, ...row } of rows) {
    const judgement = { ...row, cosine: near ?? undefined };
    const known = byMemory.get(id);
    if (known) known.push(judgement);
    else byMemory.set(id, [judgement]);
  }
  return byMemory;
}
