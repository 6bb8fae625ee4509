import type { TermStatistics, WeightedTerms } from '../../domain/ranking/bm25.ts';
import type { ModelCosine } from '../../domain/ranking/score.ts';
import { asksTime } from '../../domain/ranking/dates.ts';
import { inDatabaseLimit } from '../../domain/retrieval/exact-scan-limit.ts';
import {
  hasPassageVectors,
  passageVectorTable,
  refusedTextTable,
  vectorTable,
} from '../../read-models/vectors/tables.ts';
import type { SqlExecutor, TransactionOptions } from '../../ports/sql.ts';
import type { RegisteredModel } from '../../ports/embedder.ts';
import type { VectorSet } from '../../ports/vector-index.ts';
import type { ReadView } from '../read-models.ts';
import { regionCondition } from '../scope-sql.ts';
import { Parameters } from '../sql-builder.ts';
import type { Corpus, Degradation, OpenCorpus } from './corpus.ts';
import { findAndNote, type AttemptNotes } from './explanation.ts';
import { lookupsOf } from './lookups.ts';
import type { Query } from './query.ts';
import { noneOfSpaces, type QueriesOfSpaces, type QueryVector } from './query-vectors.ts';
import { readMemories } from './read-memories.ts';
import type { PreparedSearch, SearchEngines } from './search-engines.ts';
import type { FoundRow } from './shortlist.ts';
import { withPassages } from './sources/best-passages.ts';
import type { Candidate, CandidateQuery, Hit, TextSignal } from './sources/candidate-source.ts';
import { chooseSources, type SourceChoice } from './sources/choose-sources.ts';
import type { SourceContext } from './sources/context.ts';
import { readNeighbours } from './sources/neighbours.ts';
import { readSpaceCosines, SpaceVectorSource } from './sources/space-vectors.ts';
import { PlannerSettings } from './sources/planner-settings.ts';
import { readStatistics } from './statistics.ts';

/** The memories as they are now. */
export class CurrentCorpus implements Corpus {
  readonly vector: QueryVector | undefined;
  readonly #engines: SearchEngines;
  readonly #query: Query;
  readonly #prepared: PreparedSearch;
  readonly #ofSpaces: QueriesOfSpaces;
  /** The vectors of the query's model. */
  readonly #vectorSet: VectorSet | undefined;
  /** The vectors of passages of the same model, if the read model has them. */
  readonly #passageSet: VectorSet | undefined;
  #words: PreparedSearch['words'];
  #hasResidentVectors = false;
  #hasResidentPassages = false;

  constructor(
    engines: SearchEngines,
    query: Query,
    prepared: PreparedSearch,
    vector: QueryVector | undefined,
    ofSpaces: QueriesOfSpaces = noneOfSpaces,
  ) {
    this.#engines = engines;
    this.#query = query;
    this.#prepared = prepared;
    this.vector = vector;
    this.#ofSpaces = ofSpaces;
    this.#words = prepared.words;
    const tenant = this.#tenant;
    const hasPassages = hasPassageVectors(this.view.signature('vectors'));
    this.#vectorSet = vector && { tenant, table: vectorTable(vector.model.id) };
    this.#passageSet =
      vector && hasPassages ? { tenant, table: passageVectorTable(vector.model.id) } : undefined;
  }

  get view(): ReadView {
    return this.#prepared.view;
  }

  get position(): number {
    return this.view.position;
  }

  get models(): readonly RegisteredModel[] {
    return this.#ofSpaces.vectors.map(({ model }) => model);
  }

  get transaction(): TransactionOptions {
    return { tenant: this.#tenant, readOnly: true, onePlan: true };
  }

  get #tenant(): string {
    return this.#query.restrictions.region.tenant;
  }

  async prepare(limit: number): Promise<void> {
    // If the index does not answer this time, what it found before is used.
    if (this.#words.in === 'index' && limit > this.#query.limit) {
      const wider = await this.#engines.findWords(this.#prepared.view, this.#query, limit);
      if (wider.in === 'index') this.#words = wider;
    }
    const isResident = async (set: VectorSet | undefined) =>
      set !== undefined && ((await this.#engines.vectors?.has(set)) ?? false);
    [this.#hasResidentVectors, this.#hasResidentPassages] = await Promise.all([
      isResident(this.#vectorSet),
      isResident(this.#passageSet),
    ]);
  }

  async open(tx: SqlExecutor): Promise<OpenCorpus> {
    const { view, set, inPeriods } = this.#prepared;
    const { words: wordIndex, vectors: vectorIndex } = this.#engines;
    const [vectorSet, passageSet, lookup] = [this.#vectorSet, this.#passageSet, this.#words];
    const [words, vectors, passages] = await Promise.all([
      lookup.in === 'ram' ? wordIndex?.words(tx, lookup.set) : undefined,
      vectorSet && this.#hasResidentVectors ? vectorIndex?.vectors(tx, vectorSet) : undefined,
      passageSet && this.#hasResidentPassages ? vectorIndex?.passages(tx, passageSet) : undefined,
    ]);
    const { region } = this.#query.restrictions;
    const { size: documents, terms: statistics } = await readStatistics(
      tx,
      view,
      region,
      this.#query.terms,
      words,
    );
    if (vectorSet && documents > inDatabaseLimit) vectorIndex?.want(vectorSet);
    const lacksWords = lookup.in === 'unavailable' || (lookup.in === 'ram' && !words);
    const dense = this.vector &&
      vectorSet && {
        vector: this.vector.vector,
        table: vectorSet.table,
        passages: passageSet?.table,
        // Models of this machine embed every text.
        refusing: this.vector.model.endpointModel === undefined ? undefined : this.vector.model.id,
      };
    return new OpenCurrentCorpus(
      { tx, view, planner: new PlannerSettings(tx), words, vectors, passages },
      { ...this.#query.restrictions, text: this.#query.lexicalText, dense, times: this.#query.times },
      { documents, set, inPeriods, lookup },
      statistics,
      { meaning: !this.vector, words: lacksWords, models: this.#ofSpaces.away },
      this.#ofSpaces.vectors,
      () => passageSet && vectorIndex?.want(passageSet),
    );
  }

  read(tx: SqlExecutor, ids: readonly string[]): Promise<FoundRow[]> {
    return readMemories(tx, this.view, this.#tenant, ids, {
      asker: this.#query.restrictions.asker,
      filters: this.#query.restrictions,
    });
  }
}

class OpenCurrentCorpus implements OpenCorpus {
  readonly statistics: TermStatistics;
  degradation: Degradation;
  readonly #context: SourceContext;
  readonly #query: Omit<CandidateQuery, 'weighted'>;
  readonly #choice: SourceChoice;
  /** The query by the models of spaces. */
  readonly #ofSpaces: readonly QueryVector[];
  readonly #wantPassages: () => void;

  constructor(
    context: SourceContext,
    query: Omit<CandidateQuery, 'weighted'>,
    choice: SourceChoice,
    statistics: TermStatistics,
    degradation: Degradation,
    ofSpaces: readonly QueryVector[],
    wantPassages: () => void,
  ) {
    this.#context = context;
    this.#query = query;
    this.#choice = choice;
    this.statistics = statistics;
    this.degradation = degradation;
    this.#ofSpaces = ofSpaces;
    this.#wantPassages = wantPassages;
  }

  async find(weighted: WeightedTerms, limit: number, notes?: AttemptNotes): Promise<readonly Candidate[]> {
    const query = { ...this.#query, weighted };
    const found = new Map<string, Hit & TextSignal>();
    for (const group of chooseSources(this.#context, query, this.#choice)) {
      // All statements are sent before any answer arrives: the connection keeps their order, and no round trip is lost.
      const hits = await Promise.all(group.map((source) => findAndNote(source, query, limit, notes)));
      for (const hit of hits.flat().filter(hasText)) found.set(hit.memory_id, hit);
    }
    const cosines = await this.#compareInSpaces(query, limit, found, notes);
    const [indexing, unembedded] = await Promise.all([this.#isIndexing(query), this.#lacksVectors(query)]);
    this.degradation = { ...this.degradation, indexing, unembedded };
    const dated = await this.#withTimes([...found.values()]);
    const hits = await withPassages(this.#context, query, dated);
    const compared = hits.reduce((sum, hit) => sum + (hit.passages ?? 0), 0);
    if (compared > inDatabaseLimit) this.#wantPassages();
    const turns = hits.filter((hit) => hit.is_turn).map(({ memory_id: id }) => id);
    const { tenant } = query.region;
    const neighbours = await readNeighbours(this.#context, tenant, weighted.terms, turns);
    return hits.map((hit) => ({
      ...hit,
      cosines: cosines?.get(hit.memory_id),
      neighbours: neighbours.get(hit.memory_id) ?? [],
    }));
  }

  /** Adds to `found` what the models of spaces find. Returns their cosines of all that was found, if there are such models. */
  async #compareInSpaces(
    query: CandidateQuery,
    limit: number,
    found: Map<string, Hit & TextSignal>,
    notes?: AttemptNotes,
  ): Promise<ReadonlyMap<string, readonly ModelCosine[]> | undefined> {
    if (this.#ofSpaces.length === 0) return undefined;
    await this.#context.planner.allowAll();
    for (const question of this.#ofSpaces) {
      const source = new SpaceVectorSource(this.#context, question, this.#choice.set);
      const hits = await findAndNote(source, query, limit, notes);
      for (const hit of hits.filter(hasText)) if (!found.has(hit.memory_id)) found.set(hit.memory_id, hit);
    }
    return readSpaceCosines(this.#context, query.region.tenant, this.#ofSpaces, [...found.keys()]);
  }

  /** Whether a passage that the query may find has no vector yet. */
  async #isIndexing({ region, dense }: CandidateQuery): Promise<boolean> {
    if (!dense?.passages) return false;
    const parameters = new Parameters();
    const waiting = `select p.tenant, p.memory_id, p.layer, p.org, p.team, p.project, p.session, p.user_id, p.agent from ${dense.passages} p
      where p.tenant = ${parameters.bind(region.tenant)} and p.embedding is null and p.shelved is null`;
    // One row of each memory: those of another scope may have thousands.
    const [row] = await this.#context.tx.query<{ waits: boolean }>(
      `with recursive w as (
         (${waiting} order by p.memory_id limit 1)
         union all
         select n.* from w cross join lateral (${waiting} and p.memory_id > w.memory_id order by p.memory_id limit 1) n)
       select exists (select from w where ${regionCondition(region, 'w', parameters)}) as waits`,
      parameters.values,
    );
    return row!.waits;
  }

  /** Whether the model did not embed the text of a memory that the query may find. */
  async #lacksVectors({ region, dense }: CandidateQuery): Promise<boolean> {
    if (dense?.refusing === undefined) return false;
    const { tx, view } = this.#context;
    const parameters = new Parameters();
    const [row] = await tx.query<{ lacks: boolean }>(
      `select exists (
         select from ${refusedTextTable} r join ${view.table('vectors')} v using (tenant, memory_id, text_hash)
         where r.tenant = ${parameters.bind(region.tenant)} and r.model = ${parameters.bind(dense.refusing)}
           and not r.skipped and v.active and ${regionCondition(region, 'v', parameters)}) as lacks`,
      parameters.values,
    );
    return row!.lacks;
  }

  /** If the question asks about times, a memory that does not state its own is as old as its record. */
  async #withTimes(hits: readonly (Hit & TextSignal)[]): Promise<readonly (Hit & TextSignal)[]> {
    const undated = hits.filter((hit) => hit.occurred_at === null).map((hit) => hit.memory_id);
    const { times, region } = this.#query;
    if (undated.length === 0 || !asksTime(times)) return hits;
    const { tx, view } = this.#context;
    const parameters = new Parameters();
    const lookup = lookupsOf(region.tenant, parameters);
    const recorded = await tx.query<{ memory_id: string; created_at: Date }>(
      `select found.memory_id, m.created_at from unnest(${parameters.bind(undated)}::uuid[]) as found(memory_id)
       cross join ${lookup('t.created_at', view.table('memories'), 't.to_position is null')} m`,
      parameters.values,
    );
    const recordedAt = new Map(recorded.map((row) => [row.memory_id, row.created_at]));
    return hits.map((hit) => ({
      ...hit,
      occurred_at: hit.occurred_at ?? recordedAt.get(hit.memory_id) ?? null,
    }));
  }
}

/** A memory without a text was deleted, or is not in the lexical read model yet. */
function hasText(hit: Hit): hit is Hit & TextSignal {
  return hit.length !== null;
}
