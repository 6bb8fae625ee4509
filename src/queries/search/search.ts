import type { TenantContext } from '../../domain/access/context.ts';
import type { MemoryUse } from '../../domain/learning/memory-value.ts';
import { lastToldAt } from '../../domain/memory/affirmation.ts';
import { asksPast } from '../../domain/ranking/asks-past.ts';
import { heaviest, weigh } from '../../domain/ranking/bm25.ts';
import { askedTimes, asksTime } from '../../domain/ranking/dates.ts';
import { byPrecedence, namedFirst } from '../../domain/ranking/precedence-order.ts';
import { SameMatter } from '../../domain/ranking/same-matter.ts';
import { scaleOf } from '../../domain/ranking/scales.ts';
import type { Surface } from '../../ports/surface.ts';
import type { Clock } from '../../ports/clock.ts';
import { EmbedderUnavailable, type Embedders } from '../../ports/embedder.ts';
import { LexicalIndexUnavailable } from '../../ports/lexical-index.ts';
import { isOutdated, withCurrentView } from '../current-view.ts';
import type { ReadDemand, ReadModels, ReadView } from '../read-models.ts';
import { readSupersessions } from '../supersessions.ts';
import { PastCorpus } from './as-of/past-corpus.ts';
import type { Corpus, Degradation, UnembeddedCorpus } from './corpus.ts';
import { CurrentCorpus } from './current-corpus.ts';
import { queryOf, timeOfAsking, wordsOf, type Query, type SearchRequest } from './query.ts';
import { liveModel, QueryVectors } from './query-vectors.ts';
import { rank } from './rank.ts';
import { readFeedback } from './read-feedback.ts';
import { readUses } from './read-uses.ts';
import { SearchEngines, type SearchIndexes } from './search-engines.ts';
import type { Scored } from './shortlist.ts';
import { Substances } from './substances.ts';
import { widenIfCrowded, type Attempt } from './widen-if-crowded.ts';

export interface Warning {
  readonly code: 'partial' | 'timed-out' | 'below-threshold' | 'indexing';
  readonly detail: string;
}

/** The read models that every search reads. */
export const searchedModels = [
  'memories',
  'lexical',
  'vectors',
  'usage',
  'links',
  'feedback',
  'values',
] as const;

/** What a search found, and from what. */
export interface Finding {
  /** Best first. */
  readonly best: readonly Scored[];
  /** What the read models had reached, or the position that was asked about. */
  readonly position: number;
  readonly warnings: readonly Warning[];
  /** Id of the model that compared meaning. */
  readonly embeddingModel?: string | undefined;
  /** The read models that were searched. */
  readonly view: ReadView;
}

/** How much the values of memories weigh in the ranking of a tenant, in log-odds. */
export interface ValueWeights {
  /** Called for every search, so it answers from memory whenever it can. */
  weight(tenant: string): Promise<number>;
}

const noValues: ValueWeights = { weight: () => Promise.resolve(0) };
const noUses: ReadonlyMap<string, MemoryUse> = new Map();

/**
 * Hybrid search over what one caller may see: prepares the query, has a corpus find candidates, scores and orders them, and
 * reports what it could not use.
 */
export class SearchService {
  readonly #readModels: ReadModels;
  readonly #vectors: QueryVectors;
  readonly #engines: SearchEngines;
  readonly #clock: Clock;
  readonly #values: ValueWeights;
  readonly #substances: Substances;

  constructor(
    readModels: ReadModels,
    embedders: Embedders,
    clock: Clock,
    indexes: SearchIndexes = {},
    values: ValueWeights = noValues,
  ) {
    this.#readModels = readModels;
    this.#vectors = new QueryVectors(embedders);
    this.#engines = new SearchEngines(readModels.sql, indexes);
    this.#clock = clock;
    this.#values = values;
    this.#substances = new Substances(readModels.sql);
  }

  get surfaces(): readonly Surface[] {
    return [this.#substances];
  }

  /**
   * The read models as a search sees them. One view may serve several searches of one answer. With `withFields` it also waits
   * for the read model of field values, which are read beside it.
   */
  async view(
    waiting: Pick<SearchRequest, Waiting> = {},
    { withFields = false }: { readonly withFields?: boolean } = {},
  ): Promise<ReadView> {
    const { minPosition, waitMs } = waiting;
    const [view] = await Promise.all([
      this.#readModels.view(demandOf(waiting)),
      withFields && this.#readModels.view({ projections: ['fields'], minPosition, waitMs }),
    ]);
    return view;
  }

  /**
   * The best of what the caller may see; nothing is recorded. If the query cannot be embedded, the answer is from words alone; if
   * words cannot be searched, from meaning alone; warnings say so. Rejects with `LexicalIndexUnavailable` if neither works, and
   * with an error of `isOutdated` if the given view is outdated.
   */
  find(caller: TenantContext, request: SearchRequest, view?: ReadView): Promise<Finding> {
    const query = this.#queryOf(caller, request);
    const answer = () => this.#answer(query, request, view);
    return view ? answer() : withCurrentView(answer);
  }

  #queryOf(caller: TenantContext, request: SearchRequest): Query {
    return queryOf(caller, { ...request, now: timeOfAsking(request, this.#clock) });
  }

  async #answer(query: Query, request: SearchRequest, given: ReadView | undefined): Promise<Finding> {
    const prepared = this.#prepare(query, request, given);
    const { view, vector, ...unembedded } = await this.#vectors.beside(
      query.denseText,
      prepared,
      query.restrictions.region.tenant,
    );
    // Only meaning was to be compared, which is not possible: words are better than nothing.
    if (!vector && request.texts && request.texts.lexical === undefined)
      return this.#answer({ ...query, ...wordsOf(request.query) }, { ...request, texts: undefined }, view);
    const corpus = unembedded.with(vector);
    const { best, degradation } = await this.#search(corpus, query, request);
    if (degradation.words && !vector)
      throw new LexicalIndexUnavailable('neither words nor meaning can be compared just now');
    return {
      best,
      position: corpus.position,
      embeddingModel: degradation.meaning ? undefined : vector?.model.id,
      warnings: warningsOf(degradation),
      view,
    };
  }

  /** Runs while the query is being embedded. */
  async #prepare(
    query: Query,
    request: SearchRequest,
    given: ReadView | undefined,
  ): Promise<UnembeddedCorpus> {
    const [engines, view] = [this.#engines, given ?? (await this.view(request))];
    const { asOf } = request;
    if (asOf !== undefined)
      return { view, with: (vector) => new PastCorpus(engines, view, query, asOf, vector) };
    const prepared = await engines.prepare(view, query);
    return { view, with: (vector) => new CurrentCorpus(engines, query, prepared, vector) };
  }

  async #search(corpus: Corpus, query: Query, request: SearchRequest): Promise<Attempt> {
    const { view, vector } = corpus;
    if (query.seesNothing) return { best: [], isCrowded: false, degradation: { meaning: !vector } };
    const { sql } = this.#readModels;
    const { times } = query;
    const model = vector?.model.id ?? liveModel(view);
    const scale = this.#vectors.scaleOf(model);
    const {
      asker,
      region: { tenant },
    } = query.restrictions;
    // Values are not kept by position: a search of the past ranks without them.
    const valueWeight = request.asOf === undefined ? await this.#values.weight(tenant) : 0;
    return widenIfCrowded(query.limit, async (limit) => {
      await corpus.prepare(limit);
      const { list, rows, degradation } = await sql.transaction(async (tx) => {
        const opened = await corpus.open(tx);
        const { statistics } = opened;
        const terms = heaviest(query.terms, statistics);
        const candidates = await opened.find(weigh(terms, statistics), limit);
        const ids = candidates.map(({ memory_id: id }) => id);
        const [judgements, uses] = await Promise.all([
          readFeedback(tx, view, { tenant, ids, vector, at: request.asOf }),
          valueWeight === 0 ? noUses : readUses(tx, view, { tenant, asker, ids }),
        ]);
        const known = { judgements, uses, valueWeight };
        const ranking = { ...request, ...known, terms, times, limit, statistics, model, scale };
        const shortlist = rank(candidates, ranking);
        return {
          list: shortlist,
          rows: await corpus.read(tx, shortlist.missing),
          degradation: opened.degradation,
        };
      }, corpus.transaction);
      // The rest needs the database only if more memories have to be read: others may use it meanwhile.
      list.take(rows);
      const best = await list.best((ids) =>
        sql.transaction((tx) => corpus.read(tx, ids), corpus.transaction),
      );
      return { best, isCrowded: list.isCrowded, degradation };
    });
  }

  /**
   * The newest memory that supersedes each memory of a finding, by the id of the superseded one; with `asOf` as of then. Reads
   * nothing if it is known that no link says so.
   */
  async superseding(
    caller: TenantContext,
    { best, view }: Pick<Finding, 'best' | 'view'>,
    asOf?: number,
  ): Promise<ReadonlyMap<string, string>> {
    const ids = best.flatMap(({ memory, isSuperseded }) => (isSuperseded === false ? [] : [memory.id]));
    const read = (current: ReadView) => readSupersessions(this.#readModels.sql, current, caller, ids, asOf);
    const supersessions = await read(view).catch((error: unknown) => {
      if (!isOutdated(error)) throw error;
      return this.#readModels.read(demandOf({ minPosition: view.position }), read);
    });
    return new Map(
      ids.flatMap((id) => {
        const newest = supersessions.newest(id);
        return newest === undefined ? [] : [[id, newest] as const];
      }),
    );
  }

  /**
   * The results of a finding in the order by precedence (`namedFirst`, then `byPrecedence` unless the question asks for the past).
   * With `addsNewer`, what is newer and speaks of the same matter as the first result is added to it, from `found`: everything that
   * the search found, best first. If vectors cannot be read, results are compared by words.
   */
  async inPrecedence(
    caller: TenantContext,
    request: Pick<SearchRequest, 'query' | 'scope' | 'asOf' | 'now' | 'utcOffset'>,
    { best: shown, embeddingModel: model }: Pick<Finding, 'best' | 'embeddingModel'>,
    { found = [], addsNewer = false }: PrecedenceOptions = {},
  ): Promise<readonly Scored[]> {
    const { query, scope, utcOffset } = request;
    const now = timeOfAsking(request, this.#clock);
    const placeOf = ({ memory, score: relevance, isRefuted }: Scored) => ({
      relevance,
      layer: memory.layer,
      scope: memory.scope,
      isRefuted: isRefuted === true,
    });
    const best = namedFirst(shown, placeOf, scope);
    const others = found.slice(0, mostCompared).filter((one) => !best.includes(one));
    if (best.length + others.length < 2 || best.length === 0) return best;
    const times = askedTimes(query, now, utcOffset);
    if (asksPast(query, times, now ?? this.#clock.now())) return best;
    // A question about a time asks what was told of it, not what is current.
    const asksCurrent = !asksTime(times);
    const all = [...best, ...others];
    const substances = await this.#substances.of(caller.tenant, all, model).catch((error: unknown) => {
      if (!isOutdated(error)) throw error;
      return this.#substances.of(caller.tenant, all, undefined);
    });
    const compared = new Map(
      all.map((one) => [
        one,
        {
          ...placeOf(one),
          one,
          id: one.memory.id,
          text: one.memory.content,
          time: Date.parse(lastToldAt(one.memory)),
          substance: substances.get(one.memory.id)!,
        },
      ]),
    );
    const scale = (model !== undefined && this.#vectors.scaleOf(model)) || scaleOf(model);
    const matter = new SameMatter([...compared.values()].slice(0, mostCompared), { question: query, scale });
    const newer = addsNewer && asksCurrent ? matter.newerThan(compared.get(best[0]!)!) : [];
    const added = newer.map(({ one }) => one).filter((one) => !best.includes(one));
    const ordered = byPrecedence(
      [best[0]!, ...added, ...best.slice(1)],
      (one) => compared.get(one)!,
      scale,
      (later, earlier) => asksCurrent && matter.replaces(compared.get(later)!, compared.get(earlier)!),
    );
    const changed = matter.changed(asksCurrent ? ordered.map((one) => compared.get(one)!) : []);
    return ordered.map((one) => (changed.has(compared.get(one)!) ? { ...one, isChanged: true } : one));
  }

  /**
   * What a query finds with one of the embedding models whose vectors are kept, live or not: ids, best first. Nothing is
   * recorded, and there is no threshold. Rejects with `EmbedderUnavailable` if the model does not answer.
   */
  async ranking(
    caller: TenantContext,
    asked: Omit<SearchRequest, 'threshold' | 'order' | 'asOf'>,
    modelId: string,
  ): Promise<readonly string[]> {
    const request: SearchRequest = { ...asked, threshold: 0, order: 'relevance' };
    const query = this.#queryOf(caller, request);
    const vector = await this.#vectors.of(query.denseText ?? request.query, modelId, caller.tenant);
    if (!vector) throw new EmbedderUnavailable(`${modelId} cannot answer now`);
    const { best } = await withCurrentView(async () => {
      const corpus = await this.#prepare(query, request, undefined);
      return this.#search(corpus.with(vector), query, request);
    });
    return best.map(({ memory }) => memory.id);
  }
}

interface PrecedenceOptions {
  /** Everything that the search found, best first: also what is not shown. */
  readonly found?: readonly Scored[];
  /** Whether to add what is newer and speaks of the same matter as the first result. */
  readonly addsNewer?: boolean;
}

/** Results are compared with each other among this many of the best: the vectors of all of them are read. */
export const mostCompared = 20;

/** The fields of a request that say how far the read models must be. */
type Waiting = 'asOf' | 'minPosition' | 'waitMs';

function demandOf({ asOf = 0, minPosition = 0, waitMs }: Pick<SearchRequest, Waiting>): ReadDemand {
  return {
    projections: searchedModels,
    minPosition: Math.max(asOf, minPosition),
    waitMs,
  };
}

function warningsOf({ meaning, words, wordWeights, indexing }: Degradation): readonly Warning[] {
  const details = [
    meaning && 'meaning could not be compared just now: these results match by words alone',
    words && 'words could not be looked for just now: these results were found by meaning alone',
    wordWeights && 'how rare each word is could not be looked up just now: all count the same',
  ];
  const detail =
    'passages of long memories are still being embedded: their words are found, not yet their meaning';
  return [
    ...details.flatMap((detail) => (detail ? [{ code: 'partial' as const, detail }] : [])),
    ...(indexing ? [{ code: 'indexing' as const, detail }] : []),
  ];
}
