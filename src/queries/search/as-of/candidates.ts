import type { JsonObject } from '../../../domain/json.ts';
import { speakerOf } from '../../../domain/ranking/speaker.ts';
import { WINDOW } from '../../../domain/ranking/window.ts';
import { termCounts } from '../../../domain/text/tokens.ts';
import type { SqlExecutor } from '../../../ports/sql.ts';
import type { TermSignal } from '../../../ports/word-index.ts';
import type { ReadView } from '../../read-models.ts';
import { Parameters } from '../../sql-builder.ts';
import type { CandidateRow } from '../candidates.ts';
import { lookupsOf } from '../lookups.ts';
import { termColumns } from '../text-signals.ts';
import type { AsOfRequest, Found } from './scan.ts';
import { wasActive } from './was-active.ts';

interface CountedRow extends TermSignal {
  readonly memory_id: string;
  /** The text as it was, where the counts are of another one. */
  readonly old_text: string | null;
}

interface VersionRow extends CountedRow {
  readonly is_turn: boolean;
  readonly metadata: JsonObject;
  /** The beginning of the text, where a label may name the speaker. */
  readonly head: string;
  /** When it was recorded, if it does not tell. */
  readonly occurred_at: Date;
}

/** What was found, with the signals of a search, each as of the position. */
export async function candidatesAsOf(
  tx: SqlExecutor,
  view: ReadView,
  request: AsOfRequest,
  found: Found,
): Promise<CandidateRow[]> {
  const { terms } = request.weighted;
  const versions = await readVersions(tx, view, request, [...found.keys()]);
  const turns = versions.filter(({ is_turn: isTurn }) => isTurn).map(({ memory_id: id }) => id);
  const neighbours = await readNeighbours(tx, view, request, turns);
  return versions.map((version) => {
    const { memory_id, is_turn, metadata, head, occurred_at } = version;
    return {
      memory_id,
      ...signalOf(version, terms),
      cosine: found.get(memory_id) ?? null,
      is_turn,
      speaker: (is_turn ? speakerOf(head, metadata) : undefined) ?? null,
      occurred_at,
      neighbours: neighbours
        .filter((row) => row.memory_id === memory_id)
        .map((neighbour) => signalOf(neighbour, terms)),
    };
  });
}

function signalOf({ length, frequencies, old_text: text }: CountedRow, terms: readonly string[]): TermSignal {
  if (text === null) return { length, frequencies };
  const counted = termCounts(text);
  return { length: counted.length, frequencies: terms.map((term) => counted.counts.get(term) ?? 0) };
}

async function readVersions(
  tx: SqlExecutor,
  view: ReadView,
  { region, at, weighted }: AsOfRequest,
  ids: readonly string[],
): Promise<VersionRow[]> {
  const parameters = new Parameters();
  const lookup = lookupsOf(region.tenant, parameters);
  const version = lookup(
    `t.value->>'content' as content, t.value->'metadata' as metadata, t.session is not null as is_turn,
       coalesce(t.occurred_at, t.created_at) as occurred_at`,
    view.table('memories'),
    wasActive('t', at, parameters),
  );
  const words = lookup(
    `coalesce(t.body, t.shelved) as text, ${termColumns(view, weighted.terms, parameters)}`,
    view.table('lexical'),
  );
  return tx.query<VersionRow>(
    `select found.memory_id, v.is_turn, v.metadata, left(v.content, 64) as head, v.occurred_at, l.length, l.frequencies,
       case when l.text <> v.content then v.content end as old_text
     from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id) cross join ${version} v cross join ${words} l`,
    parameters.values,
  );
}

/** The turns that surrounded each of these then: as in a search of today, but as they were. */
async function readNeighbours(
  tx: SqlExecutor,
  view: ReadView,
  { region, at, weighted: { terms } }: AsOfRequest,
  turns: readonly string[],
): Promise<CountedRow[]> {
  if (turns.length === 0 || terms.length === 0) return [];
  const parameters = new Parameters();
  const own = parameters.bind(region.tenant);
  const lookup = lookupsOf(region.tenant, parameters);
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
