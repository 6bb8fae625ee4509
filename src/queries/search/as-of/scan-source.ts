import type { JsonObject } from '../../../domain/json.ts';
import { isWithin, type AskedTimes } from '../../../domain/ranking/dates.ts';
import { speakerOf } from '../../../domain/ranking/speaker.ts';
import { joinedTextSql } from '../../../read-models/vectors/representations.ts';
import type { SqlExecutor } from '../../../ports/sql.ts';
import type { ReadView } from '../../read-models.ts';
import { Parameters } from '../../sql-builder.ts';
import { lookupsOf } from '../lookups.ts';
import type { CandidateQuery, CandidateSource, Hit, TextSignal } from '../sources/candidate-source.ts';
import { candidatesInPeriods } from '../sources/in-periods.ts';
import { inMemory, type BestPassages } from '../sources/best-passages.ts';
import { placesColumn, termColumns } from '../sources/term-columns.ts';
import { countedSignal, passageCount, passageThen, type CountedRow, type PassageRow } from './counted-row.ts';
import type { ScannedMemory } from './scan.ts';
import { wasActive } from './was-active.ts';

interface VersionRow extends CountedRow, PassageRow {
  readonly old_text: string | null;
  readonly is_turn: boolean;
  readonly metadata: JsonObject;
  /** Beginning of the text, where a label may name the speaker. */
  readonly head: string;
  /** When it occurred, or was recorded if that is unknown. */
  readonly occurred_at: Date;
}

/** The best memories of a scan, by both signals, as they were at a position. */
export class ScanSource implements CandidateSource {
  readonly #tx: SqlExecutor;
  readonly #view: ReadView;
  readonly #at: number;
  readonly #scanned: readonly ScannedMemory[];

  constructor(tx: SqlExecutor, view: ReadView, at: number, scanned: readonly ScannedMemory[]) {
    this.#tx = tx;
    this.#view = view;
    this.#at = at;
    this.#scanned = scanned;
  }

  get kind() {
    return 'scan' as const;
  }

  async find(query: CandidateQuery, limit: number): Promise<readonly (Hit & TextSignal & BestPassages)[]> {
    const best = bestOf(this.#scanned, limit, query.times);
    const scanned = new Map(best.map((memory) => [memory.memory_id, memory]));
    const versions = await this.#readVersions(query, [...scanned.keys()]);
    return versions.map((version) => {
      const { memory_id, is_turn, metadata, head, occurred_at } = version;
      const { cosine = null, nearest } = scanned.get(memory_id) ?? {};
      const byWords = passageThen(version, query.weighted);
      const passages = passageCount(version);
      return {
        memory_id,
        ...countedSignal(version, query.weighted.terms),
        cosine,
        byWords,
        byMeaning: nearest && inMemory(nearest, passages ?? 0, cosine),
        is_turn,
        passages,
        speaker: (is_turn ? speakerOf(head, metadata) : undefined) ?? null,
        occurred_at,
      };
    });
  }

  #readVersions({ region, weighted }: CandidateQuery, ids: readonly string[]): Promise<VersionRow[]> {
    const view = this.#view;
    const parameters = new Parameters();
    const lookup = lookupsOf(region.tenant, parameters);
    const version = lookup(
      `${joinedTextSql('t.value')} as content, t.value->'metadata' as metadata, t.session is not null as is_turn,
         coalesce(t.occurred_at, t.created_at) as occurred_at`,
      view.table('memories'),
      wasActive('t', this.#at, parameters),
    );
    const words = lookup(
      `coalesce(t.body, t.shelved) as text, ${termColumns(view, weighted.terms, parameters)},
         t.passage_lengths as lengths, ${placesColumn(view, weighted.terms, parameters)} as places`,
      view.table('lexical'),
    );
    return this.#tx.query<VersionRow>(
      `select found.memory_id, v.is_turn, v.metadata, left(v.content, 64) as head, v.occurred_at, l.length, l.frequencies, l.lengths, l.places,
         case when l.text <> v.content then v.content end as old_text
       from unnest(${parameters.bind(ids)}::uuid[]) as found(memory_id) cross join ${version} v cross join ${words} l`,
      parameters.values,
    );
  }
}

/** The best `limit` by each signal, and a few of the best within the periods that the question names. */
function bestOf(
  scanned: readonly ScannedMemory[],
  limit: number,
  times: AskedTimes,
): readonly ScannedMemory[] {
  const within = times.periods.length > 0 ? scanned.filter(({ time }) => isWithin(time, times)) : [];
  return [
    ...bestBy(scanned, ({ cosine }) => cosine, limit),
    ...bestBy(scanned, ({ nearest }) => nearest?.cosine ?? null, limit),
    ...bestBy(scanned, ({ bm25 }) => bm25, limit),
    ...bestBy(within, ({ cosine }) => cosine, candidatesInPeriods),
    ...bestBy(within, ({ nearest }) => nearest?.cosine ?? null, candidatesInPeriods),
    ...bestBy(within, ({ bm25 }) => bm25, candidatesInPeriods),
  ];
}

function bestBy<Item>(
  items: readonly Item[],
  value: (item: Item) => number | null,
  count: number,
): readonly Item[] {
  return items
    .filter((item) => value(item) !== null)
    .sort((left, right) => value(right)! - value(left)!)
    .slice(0, count);
}
