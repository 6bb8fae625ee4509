import type { TenantContext } from '../../domain/access/context.ts';
import type { Filter } from '../../domain/filter.ts';
import { scaleOf } from '../../domain/ranking/scales.ts';
import { namedModels } from '../../domain/spaces/space-models.ts';
import type { Spaces } from '../../domain/spaces/spaces.ts';
import type { Surface } from '../../ports/surface.ts';
import type { Clock } from '../../ports/clock.ts';
import { EmbedderUnavailable, type Embedders } from '../../ports/embedder.ts';
import { LexicalIndexUnavailable } from '../../ports/lexical-index.ts';
import { throwIfUnwanted } from '../../support/request-scope.ts';
import { withCurrentView } from '../current-view.ts';
import type { ReadModels, ReadView } from '../read-models.ts';
import { readSuperseding } from '../supersessions.ts';
import { PastCorpus } from './as-of/past-corpus.ts';
import { collect, type CollectOptions } from './collect.ts';
import type { Corpus, Degradation, UnembeddedCorpus } from './corpus.ts';
import { CurrentCorpus } from './current-corpus.ts';
import { AttemptNotes, type Purpose } from './explanation.ts';
import { warningsOf, type Finding } from './finding.ts';
import { inPrecedence } from './precedence.ts';
import { maxCandidates, queryOf, timeOfAsking, wordsOf, type Query, type SearchRequest } from './query.ts';
import { liveModel, noneOfSpaces, QueryVectors, type QueriesOfSpaces } from './query-vectors.ts';
import { rank } from './rank.ts';
import { noRankingSettings, type RankingSettings } from './ranking-directory.ts';
import { SearchEngines, type SearchIndexes } from './search-engines.ts';
import type { CopyOptions, Scored } from './shortlist.ts';
import { belowThreshold, missingSuccessors, visibleResults, type Shown, type ShowOptions } from './shown.ts';
import { Substances } from './substances.ts';

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

/** The spaces of a tenant, at most some seconds old. */
export interface SpacesOf {
  of(tenant: string): Promise<Spaces>;
}

/** What a search asks about the spaces of the tenant. */
export interface SpaceModelParts {
  readonly spaces: SpacesOf;
  /** Called with the id of each model of a space that is in reach. */
  readonly onUse: (modelId: string) => void;
}

export interface FindOptions extends CopyOptions {
  /** The read models to search; by default as they are now. */
  readonly view?: ReadView | undefined;
  /** What an explanation calls the search; `question` by default. */
  readonly purpose?: Purpose;
}

type InnerRequest = SearchRequest & CopyOptions & Pick<FindOptions, 'purpose'>;

/** What is added to the scores that the texts alone give. */
interface Additions extends Pick<CollectOptions, 'decay'> {
  /** Log-odds; 0 if values do not change the ranking. */
  readonly valueWeight: number;
}

/** What a search found among a number of candidates. */
interface Attempt {
  readonly best: readonly Scored[];
  /** Whether copies took so many places among the candidates that other memories may have had none. */
  readonly isCrowded: boolean;
  readonly degradation: Degradation;
  readonly notes?: AttemptNotes | undefined;
}

/**
 * Hybrid search over what one caller may see. `find` prepares the query, collects candidates, scores them and takes the best;
 * `show` chooses what an answer shows of them.
 */
export class SearchService {
  readonly #readModels: ReadModels;
  readonly #vectors: QueryVectors;
  readonly #engines: SearchEngines;
  readonly #clock: Clock;
  readonly #settings: RankingSettings;
  readonly #spaceModels: SpaceModelParts | undefined;
  readonly #substances: Substances;

  constructor(
    readModels: ReadModels,
    embedders: Embedders,
    clock: Clock,
    indexes: SearchIndexes = {},
    settings: RankingSettings = noRankingSettings,
    spaceModels?: SpaceModelParts,
  ) {
    this.#readModels = readModels;
    this.#vectors = new QueryVectors(embedders);
    this.#engines = new SearchEngines(readModels.sql, indexes);
    this.#clock = clock;
    this.#settings = settings;
    this.#spaceModels = spaceModels;
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
    { asOf = 0, minPosition = 0, waitMs }: Pick<SearchRequest, 'asOf' | 'minPosition' | 'waitMs'> = {},
    { withFields = false }: { readonly withFields?: boolean } = {},
  ): Promise<ReadView> {
    const [view] = await Promise.all([
      this.#readModels.view({
        projections: searchedModels,
        minPosition: Math.max(asOf, minPosition),
        waitMs,
      }),
      withFields && this.#readModels.view({ projections: ['fields'], minPosition, waitMs }),
    ]);
    return view;
  }

  /**
   * The best of what the caller may see; nothing is recorded. If the query cannot be embedded, the answer is from words alone; if
   * words cannot be searched, from meaning alone; warnings say so. Rejects with `LexicalIndexUnavailable` if neither works, and
   * with an error of `isOutdated` if the given view is outdated.
   */
  find(
    caller: TenantContext,
    request: SearchRequest,
    { view, ...copies }: FindOptions = {},
  ): Promise<Finding> {
    const query = this.#queryOf(caller, request);
    const find = () => this.#find(query, { ...request, ...copies }, view);
    return view ? find() : withCurrentView(find);
  }

  /**
   * What an answer shows of a finding. Adds the successors of superseded memories, removes what the cut excludes, keeps `topK`,
   * and orders them by precedence if that is the order. If nothing is left, a warning says how near the best came.
   */
  async show(
    caller: TenantContext,
    request: SearchRequest,
    finding: Finding,
    options: ShowOptions,
  ): Promise<Shown> {
    const superseding = await readSuperseding(this.#readModels, caller, finding, request.asOf);
    const missing = missingSuccessors(finding.best, superseding);
    const successors = missing.length === 0 ? [] : await this.#findAmong(caller, request, missing);
    const visible = visibleResults(finding.best, successors, superseding, options);
    request.explanation?.chose({ best: finding.best, successors, superseding, options });
    if (visible.length === 0 && request.threshold > 0) {
      const found = [...finding.best, ...successors];
      // The search itself may have applied the cut.
      const leftOut =
        found.length > 0
          ? found
          : (await this.find(caller, { ...request, threshold: 0, explanation: undefined })).best;
      const warnings = [...finding.warnings, ...belowThreshold(leftOut)];
      return { finding: { ...finding, best: [], warnings }, superseding };
    }
    const shown = visible.slice(0, options.topK);
    if (options.order !== 'precedence') return { finding: { ...finding, best: shown }, superseding };
    const model = finding.embeddingModel;
    const rules = await this.#settings.rules(caller.tenant);
    const ordered = await inPrecedence(
      caller,
      request,
      {
        shown,
        found: finding.best.filter(({ memory }) => !superseding.has(memory.id)),
        model,
        scale: (model !== undefined && this.#vectors.scaleOf(model)) || scaleOf(model),
        // An explicit threshold alone decides.
        addsNewer: options.cut === 'focused',
        versioned: rules?.versioned,
      },
      { substances: this.#substances, clock: this.#clock },
    );
    return { finding: { ...finding, best: ordered.slice(0, options.topK) }, superseding };
  }

  /**
   * What a query finds with one of the embedding models whose vectors are kept, live or not: ids, best first. Nothing is
   * recorded, and there is no threshold. Rejects with `EmbedderUnavailable` if the model does not answer.
   */
  async ranking(
    caller: TenantContext,
    asked: Omit<SearchRequest, 'threshold' | 'asOf'>,
    modelId: string,
  ): Promise<readonly string[]> {
    const request: SearchRequest = { ...asked, threshold: 0 };
    const query = this.#queryOf(caller, request);
    const vector = await this.#vectors.of(query.denseText ?? request.query, modelId, caller.tenant);
    if (!vector) throw new EmbedderUnavailable(`${modelId} cannot answer now`);
    const { best } = await withCurrentView(async () => {
      const corpus = await this.#prepare(query, request, undefined);
      return this.#bestOf(corpus.with(vector), query, request);
    });
    return best.map(({ memory }) => memory.id);
  }

  #queryOf(caller: TenantContext, request: SearchRequest): Query {
    return queryOf(caller, { ...request, now: timeOfAsking(request, this.#clock) });
  }

  async #find(query: Query, request: InnerRequest, given: ReadView | undefined): Promise<Finding> {
    const { explanation, purpose = 'question' } = request;
    const started = explanation && performance.now();
    const prepared = this.#prepare(query, request, given);
    const { tenant } = query.restrictions.region;
    const [{ view, vector, ...unembedded }, ofSpaces] = await Promise.all([
      this.#vectors.beside(query.denseText, prepared, tenant),
      this.#ofSpaces(query, request),
    ]);
    // Only meaning was to be compared, which is not possible: words are better than nothing.
    if (!vector && request.texts && request.texts.lexical === undefined)
      return this.#find({ ...query, ...wordsOf(request.query) }, { ...request, texts: undefined }, view);
    const preparationMs = started === undefined ? 0 : performance.now() - started;
    const corpus = unembedded.with(vector, ofSpaces);
    const { best, degradation, notes } = await this.#bestOf(corpus, query, request);
    if (notes) explanation?.searched(purpose, query, { attempt: notes, preparationMs });
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

  /** Memories with these ids, scored for the same question and matching the same filters. */
  async #findAmong(
    caller: TenantContext,
    request: SearchRequest,
    ids: readonly string[],
  ): Promise<readonly Scored[]> {
    const isOne: Filter = { kind: 'test', field: 'id', path: [], operator: 'in', value: [...ids] };
    const filter: Filter = request.filter ? { kind: 'and', filters: [request.filter, isOne] } : isOne;
    const asked = { ...request, filter, topK: ids.length, threshold: 0 };
    return (await this.find(caller, asked, { purpose: 'successors' })).best;
  }

  /** Runs while the query is being embedded. */
  async #prepare(
    query: Query,
    request: SearchRequest,
    given: ReadView | undefined,
  ): Promise<UnembeddedCorpus> {
    const [engines, view] = [this.#engines, given ?? (await this.view(request))];
    const { asOf } = request;
    if (asOf !== undefined && !view.standsStill)
      return { view, with: (vector) => new PastCorpus(engines, view, query, asOf, vector) };
    const prepared = await engines.prepare(view, query);
    return {
      view,
      with: (vector, ofSpaces) => new CurrentCorpus(engines, query, prepared, vector, ofSpaces),
    };
  }

  /** The query by the models of the spaces in reach. A search as of a position compares by the model of the server alone. */
  async #ofSpaces(
    { denseText, restrictions }: Query,
    { asOf, spaces }: SearchRequest,
  ): Promise<QueriesOfSpaces> {
    const parts = this.#spaceModels;
    if (!parts || asOf !== undefined) return noneOfSpaces;
    const { tenant } = restrictions.region;
    const names = namedModels(await parts.spaces.of(tenant), spaces).map(({ model }) => model);
    const made = await this.#vectors.ofSpaces(denseText, names, tenant);
    for (const { model } of made.vectors) parts.onUse(model.id);
    return made;
  }

  /** Searches again among more candidates if copies used them up. If words become unavailable meanwhile, the first result stands. */
  async #bestOf(corpus: Corpus, query: Query, request: InnerRequest): Promise<Attempt> {
    if (query.seesNothing) return { best: [], isCrowded: false, degradation: { meaning: !corpus.vector } };
    const additions = await this.#additions(corpus.view, query, request);
    const attempt = (limit: number) => this.#attempt(corpus, query, request, { limit, ...additions });
    const first = await attempt(query.limit);
    if (!first.isCrowded || query.limit >= maxCandidates) return first;
    const wider = await attempt(maxCandidates);
    return wider.degradation.words && !first.degradation.words ? first : wider;
  }

  /** What may be added to the scores. Nothing of it is kept by position: a search of the past in today's read models does without. */
  async #additions({ standsStill }: ReadView, query: Query, request: InnerRequest): Promise<Additions> {
    if (request.asOf !== undefined && !standsStill) return { valueWeight: 0, decay: undefined };
    const { tenant } = query.restrictions.region;
    const [valueWeight, rules] = await Promise.all([
      this.#settings.valueWeight(tenant),
      this.#settings.rules(tenant),
    ]);
    const decays = rules !== undefined && rules.decayRates.size > 0;
    const now = request.now ?? this.#clock.now();
    return { valueWeight, decay: decays ? { rules, now } : undefined };
  }

  /** Searches among `limit` candidates of each source. */
  async #attempt(
    corpus: Corpus,
    query: Query,
    request: InnerRequest,
    { limit, valueWeight, decay }: Additions & { readonly limit: number },
  ): Promise<Attempt> {
    throwIfUnwanted();
    const { sql } = this.#readModels;
    const model = corpus.vector?.model.id ?? liveModel(corpus.view);
    const scalesOfSpaces = new Map(corpus.models.map(({ id, scale }) => [id, scale]));
    const ranking = { ...request, times: query.times, limit, valueWeight, model, scalesOfSpaces };
    const scale = this.#vectors.scaleOf(model);
    const notes = request.explanation && new AttemptNotes(limit);
    await corpus.prepare(limit);
    const { list, rows, degradation } = await sql.transaction(async (tx) => {
      const options = { limit, asOf: request.asOf, readsUses: valueWeight !== 0, decay, notes };
      const collected = await collect(tx, corpus, query, options);
      notes?.collected(collected.candidates.length);
      const shortlist = rank(collected, { ...ranking, scale });
      const { degradation } = collected;
      return { list: shortlist, rows: await corpus.read(tx, shortlist.missing), degradation };
    }, corpus.transaction);
    // The rest needs the database only if more memories have to be read: others may use it meanwhile.
    await list.take(rows);
    const read = (ids: readonly string[]) =>
      sql.transaction((tx) => corpus.read(tx, ids), corpus.transaction);
    const best = await list.best(read);
    await notes?.ranked(list, best, read);
    return { best, isCrowded: list.isCrowded, degradation, notes };
  }
}
