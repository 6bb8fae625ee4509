import { WINDOW } from '../../../domain/ranking/window.ts';
import type { TermSignal } from '../../../ports/word-index.ts';
import { Parameters } from '../../sql-builder.ts';
import type { SourceContext } from './context.ts';
import { emptyTermColumns, termColumns, withTermSignals } from './term-columns.ts';

interface NeighbourRow {
  /** Id of the turn. */
  readonly memory_id: string;
  readonly neighbour: string;
  readonly length: number | null;
  readonly frequencies: readonly number[] | null;
}

/**
 * The active turns around each of these turns of a session (`WINDOW`), by the turn's id. They are part of its score: neither
 * filters nor the scope of the search remove them, and the session key limits them to what the readers of the turn may see.
 */
export async function readNeighbours(
  { tx, view, words }: SourceContext,
  tenant: string,
  terms: readonly string[],
  turns: readonly string[],
): Promise<ReadonlyMap<string, readonly TermSignal[]>> {
  const neighbours = new Map<string, TermSignal[]>();
  if (turns.length === 0 || terms.length === 0) return neighbours;
  const parameters = new Parameters();
  const own = parameters.bind(tenant);
  const table = view.table('lexical');
  const columns = `t.memory_id as neighbour, ${words ? emptyTermColumns : termColumns(view, terms, parameters)}`;
  const nearest = (side: '<' | '>', order: 'asc' | 'desc', count: number) =>
    `(select ${columns} from ${table} t
      where t.tenant = ${own} and t.session_key = turn.session_key and t.body is not null
        and (t.said_at, t.position) ${side} (turn.said_at, turn.position)
      order by t.said_at ${order}, t.position ${order} limit ${count})`;
  const rows = await tx.query<NeighbourRow>(
    `select turn.memory_id, n.* from ${table} turn
     cross join lateral (${nearest('<', 'desc', WINDOW.before)} union all ${nearest('>', 'asc', WINDOW.after)}) n
     where turn.tenant = ${own} and turn.memory_id = any (${parameters.bind(turns)}::uuid[]) and turn.body is not null`,
    parameters.values,
  );
  const signals = words ? withTermSignals(rows, (row) => row.neighbour, terms, words) : rows;
  for (const { memory_id, length, frequencies } of signals) {
    if (length === null || frequencies === null) continue;
    const signal = { length, frequencies };
    const known = neighbours.get(memory_id);
    if (known) known.push(signal);
    else neighbours.set(memory_id, [signal]);
  }
  return neighbours;
}
