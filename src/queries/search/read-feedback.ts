import { questionKinds, type Judgement } from '../../domain/ranking/feedback.ts';
import { variantOf, versionOf } from '../../read-models/generation-variant.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';
import type { QueryVector } from './query-vectors.ts';

/** Maximum number of a caller's latest judgements of a question kind that are read. Of the other kinds only the latest one counts. */
const maxQuestions = 100;

/** Whether the read model knows which judgements are those of the writer or an admin: not before its version 3. */
export function hasAuthority(view: ReadView): boolean {
  return versionOf(view.signature('feedback')) >= 3;
}

interface FeedbackDemand {
  readonly tenant: string;
  readonly ids: readonly string[];
  /** Vector of the question; without it no judged question can be compared. */
  readonly vector?: QueryVector | undefined;
  /** A position: the feedback given until then. */
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
  const ofQuestion = `kind = any (${parameters.bind(questionKinds)}::text[])`;
  const cosine = isComparable
    ? `(select -(q.question <#> ${parameters.bind(vector.vector)}::vector) from ${table} q
        where f.${ofQuestion} and q.tenant = ${own} and q.memory_id = f.memory_id
          and q.search_id = f.search_id and q.kind = 'question' and q.question is not null limit 1)`
    : 'null::float8';
  const until = at === undefined ? 'true' : `t.position <= ${parameters.bind(at)}`;
  const rows = await tx.query<Row>(
    `select f.memory_id, f.kind, f.principal, f.score, f.position,
       ${hasAuthority(view) ? 'f.authoritative' : 'false'} as "isAuthoritative", ${cosine} as cosine
     from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id)
     cross join lateral (
       select l.* from (
         select t.*, row_number() over (partition by t.principal, t.kind order by t.position desc) as place from ${table} t
         where t.tenant = ${own} and t.memory_id = found.memory_id and t.kind <> 'question' and ${until}) l
       where l.place <= case when l.${ofQuestion} then ${maxQuestions} else 1 end) f`,
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
