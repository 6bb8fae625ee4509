import { regionCondition } from '../../scope-sql.ts';
import { Parameters } from '../../sql-builder.ts';
import { filterJoin } from '../filter-join.ts';
import { lookupsOf } from '../lookups.ts';
import type { CandidateQuery, Hit } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { otherSignal, textColumns, withResidentSignals } from './signals.ts';

/**
 * The hits that `found`, a query for rows of the lexical read model, selects. Words are counted and cosines computed for those
 * rows only, not for each row that was visited.
 */
export async function lexicalRows(
  context: SourceContext,
  query: CandidateQuery,
  found: string,
  parameters: Parameters,
): Promise<readonly Hit[]> {
  const counted = `select t.memory_id, ${textColumns(context, query, parameters)} from (${found}) t`;
  const { meaning } = otherSignal(context, query, parameters);
  const rows = await context.tx.query<Hit>(
    `select l.*, k.cosine from (${counted}) l left join ${meaning('l')} k on true`,
    parameters.values,
  );
  return withResidentSignals(context, query, rows);
}

/**
 * The first `limit` of `ids` that the database confirms. What an index outside of it found may be ahead of the read model, and
 * only the database decides who may see what.
 */
export async function confirmed(
  context: SourceContext,
  query: CandidateQuery,
  ids: readonly string[],
  limit: number,
): Promise<readonly Hit[]> {
  if (ids.length === 0) return [];
  const { view } = context;
  const { region } = query;
  const parameters = new Parameters();
  const lookup = lookupsOf(region.tenant, parameters);
  const allowed = `t.body is not null and ${regionCondition(region, 't', parameters)}`;
  const found = `select l.* from unnest(${parameters.bind(ids)}::uuid[]) with ordinality as found(memory_id, place)
     cross join ${lookup('t.*', view.table('lexical'), allowed)} l ${filterJoin(view, query, 'l', parameters)}
     order by found.place limit ${parameters.bind(limit)}`;
  return lexicalRows(context, query, found, parameters);
}
