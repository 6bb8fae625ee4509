import { WINDOW } from '../../domain/ranking/window.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { TermSignal, Words } from '../../ports/word-index.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';
import { termColumns, told, untold } from './text-signals.ts';

interface NeighbourRow {
  /** The turn. */
  readonly memory_id: string;
  readonly neighbour: string;
  readonly length: number | null;
  readonly frequencies: readonly number[] | null;
}

export interface NeighboursRequest {
  readonly terms: readonly string[];
  /** What tells of a text how often it holds each term, where they are kept in memory. */
  readonly words?: Words | undefined;
  /** Ids. */
  readonly turns: readonly string[];
}

/**
 * The active turns around each of these turns in its session (`WINDOW`), by its id. They are part of a score: neither
 * filters nor the scope of the search take them away, and the session key keeps them to what its readers may see.
 */
export async function readNeighbours(
  tx: SqlExecutor,
  view: ReadView,
  tenant: string,
  { terms, words, turns }: NeighboursRequest,
): Promise<ReadonlyMap<string, readonly TermSignal[]>> {
  const neighbours = new Map<string, TermSignal[]>();
  // Without terms there is nothing to count in them.
  if (turns.length === 0 || terms.length === 0) return neighbours;
  const parameters = new Parameters();
  const own = parameters.bind(tenant);
  const table = view.table('lexical');
  const columns = `t.memory_id as neighbour, ${words ? untold : termColumns(view, terms, parameters)}`;
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
  const signals = words ? told(rows, (row) => row.neighbour, terms, words) : rows;
  for (const { memory_id, length, frequencies } of signals) {
    if (length === null || frequencies === null) continue;
    const signal = { length, frequencies };
    const known = neighbours.get(memory_id);
    if (known) known.push(signal);
    else neighbours.set(memory_id, [signal]);
  }
  return neighbours;
}
