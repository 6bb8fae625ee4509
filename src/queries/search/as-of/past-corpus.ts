import { heaviest, weigh, type TermStatistics, type WeightedTerms } from '../../../domain/ranking/bm25.ts';
import { WINDOW } from '../../../domain/ranking/window.ts';
import { usesWordsInMemory } from '../../../read-models/lexical/variant.ts';
import { joinedTextSql } from '../../../read-models/vectors/representations.ts';
import { hasPassageVectors, passageVectorTable, vectorTable } from '../../../read-models/vectors/tables.ts';
import { isWithoutVector } from '../../../ports/embedder.ts';
import type { SqlExecutor, TransactionOptions } from '../../../ports/sql.ts';
import type { WordSet } from '../../../ports/word-index.ts';
import type { ReadView } from '../../read-models.ts';
import { Parameters } from '../../sql-builder.ts';
import type { Corpus, Degradation, OpenCorpus } from '../corpus.ts';
import { findAndNote, type AttemptNotes } from '../explanation.ts';
import { lookupsOf } from '../lookups.ts';
import type { Query } from '../query.ts';
import type { QueryVector } from '../query-vectors.ts';
import { readMemories } from '../read-memories.ts';
import type { SearchEngines } from '../search-engines.ts';
import type { FoundRow } from '../shortlist.ts';
import type { Candidate, CandidateQuery } from '../sources/candidate-source.ts';
import { termColumns } from '../sources/term-columns.ts';
import { readStatistics } from '../statistics.ts';
import { countedSignal, type CountedRow } from './counted-row.ts';
import { scanAsOf, type ScannedMemory } from './scan.ts';
import { statisticsThen } from './past-statistics.ts';
import { ScanSource } from './scan-source.ts';
import { wasActive } from './was-active.ts';

interface Scan {
  readonly statistics: TermStatistics;
  readonly scanned: readonly ScannedMemory[];
  readonly degradation: Degradation;
}

/**
 * The memories as they were at a position, with their texts, their tags and the turns around them; scored as in any search,
 * by how rare the terms were then unless too much has changed (`statisticsThen`). Who may see what is as of today.
 * `prepare` throws `TooLargeToScan`.
 */
export class PastCorpus implements Corpus {
  /** What the read models have reached at least. */
  readonly position: number;
  readonly view: ReadView;
  /** Vectors by the models of spaces are not kept by position. */
  readonly models = [];
  readonly vector: QueryVector | undefined;
  readonly #engines: SearchEngines;
  readonly #query: Query;
  #scan: Scan | undefined;

  constructor(
    engines: SearchEngines,
    view: ReadView,
    query: Query,
    position: number,
    vector: QueryVector | undefined,
  ) {
    this.#engines = engines;
    this.view = view;
    this.#query = query;
    this.position = position;
    this.vector = vector;
  }

  get transaction(): TransactionOptions {
    return { tenant: this.#tenant, readOnly: true };
  }

  get #tenant(): string {
    return this.#query.restrictions.region.tenant;
  }

  async prepare(): Promise<void> {
    this.#scan ??= await this.#scanNow();
  }

  open(tx: SqlExecutor): Promise<OpenCorpus> {
    const { statistics, scanned, degradation } = this.#scan!;
    return Promise.resolve({
      statistics,
      degradation,
      find: (weighted, limit, notes) => this.#find(tx, scanned, weighted, { limit, notes }),
    });
  }

  read(tx: SqlExecutor, ids: readonly string[]): Promise<FoundRow[]> {
    return readMemories(tx, this.view, this.#tenant, ids, {
      asker: this.#query.restrictions.asker,
      at: this.position,
    });
  }

  async #find(
    tx: SqlExecutor,
    scanned: readonly ScannedMemory[],
    weighted: WeightedTerms,
    { limit, notes }: { readonly limit: number; readonly notes: AttemptNotes | undefined },
  ): Promise<readonly Candidate[]> {
    const { position: at } = this;
    const source = new ScanSource(tx, this.view, at, scanned);
    const hits = await findAndNote(source, this.#candidateQuery(weighted), limit, notes);
    const turns = hits.filter((hit) => hit.is_turn).map(({ memory_id: id }) => id);
    const { terms } = weighted;
    const around = await readNeighboursAt(tx, this.view, this.#tenant, at, terms, turns);
    return hits.map((hit) => ({
      ...hit,
      neighbours: around
        .filter((row) => row.memory_id === hit.memory_id)
        .map((neighbour) => countedSignal(neighbour, terms)),
    }));
  }

  async #scanNow(): Promise<Scan> {
    const { statistics, isWeighed, set } = await this.#readStatistics();
    const query = this.#candidateQuery(weigh(heaviest(this.#query.terms, statistics), statistics));
    const embedder = this.vector?.embedder;
    const scan = (isCompared: boolean) =>
      scanAsOf(this.#engines.sql, this.view, this.position, {
        ...query,
        wordsIn: set && ((tx) => this.#engines.words!.words(tx, set)),
        dense: isCompared && query.dense && embedder ? { ...query.dense, embedder } : undefined,
      });
    const of = (scanned: readonly ScannedMemory[], meaning: boolean): Scan => ({
      statistics,
      scanned,
      degradation: { meaning, wordWeights: !isWeighed },
    });
    try {
      return of(await scan(true), !this.vector);
    } catch (error) {
      // Texts of that position would have to be embedded, which is not possible now.
      if (!isWithoutVector(error)) throw error;
      return of(await scan(false), true);
    }
  }

  async #readStatistics(): Promise<{
    readonly statistics: TermStatistics;
    readonly isWeighed: boolean;
    /** The words of today's texts, if they are in RAM. */
    readonly set: WordSet | undefined;
  }> {
    const { sql, words: wordIndex } = this.#engines;
    const areResident = usesWordsInMemory(this.view.signature('lexical'));
    const lookup = areResident ? await this.#engines.residentWords(this.view, this.#tenant) : undefined;
    return sql.transaction(async (tx) => {
      const words = lookup?.in === 'ram' ? await wordIndex?.words(tx, lookup.set) : undefined;
      const {
        terms,
        restrictions: { region },
      } = this.#query;
      const { terms: today } = await readStatistics(tx, this.view, region, terms, words);
      const isWeighed = !areResident || words !== undefined;
      if (!isWeighed) return { statistics: today, isWeighed, set: undefined };
      const statistics = await statisticsThen(tx, this.view, region, this.position, terms, today);
      return { statistics, isWeighed, set: lookup?.in === 'ram' ? lookup.set : undefined };
    }, this.transaction);
  }

  #candidateQuery(weighted: WeightedTerms): CandidateQuery {
    const { restrictions, lexicalText: text, times } = this.#query;
    const hasPassages = hasPassageVectors(this.view.signature('vectors'));
    const dense = this.vector && {
      vector: this.vector.vector,
      table: vectorTable(this.vector.model.id),
      passages: hasPassages ? passageVectorTable(this.vector.model.id) : undefined,
    };
    return { ...restrictions, text, weighted, dense, times };
  }
}

/** The turns that surrounded each of these turns at a position, as they were; `memory_id` names the turn. */
async function readNeighboursAt(
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
  const text = joinedTextSql('v.value');
  const nearest = (side: '<' | '>', order: 'asc' | 'desc', count: number) =>
    `(select ${columns},
        case when coalesce(t.body, t.shelved) <> ${text} then ${text} end as old_text
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
