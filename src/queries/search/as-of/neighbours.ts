import { WINDOW } from '../../../domain/ranking/window.ts';
import type { SqlExecutor } from '../../../ports/sql.ts';
import type { ReadView } from '../../read-models.ts';
import { Parameters } from '../../sql-builder.ts';
import { lookupsOf } from '../lookups.ts';
import { termColumns } from '../sources/term-columns.ts';
import type { CountedRow } from './counted-row.ts';
import { wasActive } from './was-active.ts';

/** The turns that surrounded each of these turns at a position, as they were; `memory_id` names the turn. */
export async function readNeighboursAt(
  tx: SqlExecutor,
  view: ReadView,
  tenant: string,
  at: number,
  terms: readonly string[],
  turns: readonly string[],
): Promise<CountedRow[]> {
  if (turns.length === 0 || terms.length === 0) return [];
  const parameters = new Parameters();
  const own = parameters.bind(tenant);
  const lookup = lookupsOf(tenant, parameters);
  const columns = termColumns(view, terms, parameters);
  const valid = wasActive('v', at, parameters);
  const nearest = (side: '<' | '>', order: 'asc' | 'desc', count: number) =>
    `(select ${columns},
        case when coalesce(t.body, t.shelved) <> v.value->>'content' then v.value->>'content' end as old_text
      from ${view.table('lexical')} t
      join ${view.table('memories')} v on v.tenant = t.tenant and v.memory_id = t.memory_id and ${valid}
      where t.tenant = ${own} and t.session_key = turn.session_key
        and (t.said_at, t.position) ${side} (turn.said_at, turn.position)
      order by t.said_at ${order}, t.position ${order} limit ${count})`;
  return tx.query<CountedRow>(
    `select found.memory_id, n.length, n.frequencies, n.old_text
     from unnest(${parameters.bind(turns)}::uuid[]) as found(memory_id)
     cross join ${lookup('t.session_key, t.said_at, t.position', view.table('lexical'))} turn
     cross join lateral (${nearest('<', 'desc', WINDOW.before)} union all ${nearest('>', 'asc', WINDOW.after)}) n`,
    parameters.values,
  );
}
