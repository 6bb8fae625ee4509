import type { TenantContext } from '../../domain/access/context.ts';
import type { Region } from '../../domain/access/region.ts';
import { visible, type Placement } from '../../domain/access/visibility.ts';
import type { RecordedTrace } from '../../domain/experience/events.ts';
import { byExperience, byNearness } from '../../domain/experience/order.ts';
import type { Attempt } from '../../domain/experience/lessons.ts';
import { leastValue, similarity, similarityByWords } from '../../domain/experience/similarity.ts';
import type { TraceOutcome } from '../../domain/experience/trace.ts';
import { traceView, type TraceView } from '../../domain/experience/trace-view.ts';
import type { Scope } from '../../domain/layers.ts';
import { variantOf } from '../../read-models/generation-variant.ts';
import type { Embedders } from '../../ports/embedder.ts';
import { allOf, Parameters } from '../sql-builder.ts';
import { exactly, regionCondition } from '../scope-sql.ts';
import type { ReadModels, ReadView, Wait } from '../read-models.ts';
import { QueryVectors, type QueryVector } from '../search/query-vectors.ts';
import { SimilarityScales } from './similarity-scales.ts';

/** Maximum number of traces that a question is compared with: the newest. */
const maxCompared = 10_000;
/** Maximum number of traces that a question is compared with by words: the newest. */
const maxComparedByWords = 2_000;
/** Maximum number of traces that are ordered: the most similar. */
const maxOrdered = 500;
/** More than a cosine differs between the database and here. */
const tolerance = 1e-6;

/** From this similarity on, attempts teach something about each other. */
const similarFrom = 0.8;
/** Maximum number of attempts that a lesson is drawn from: the newest. */
const maxAttempts = 100;

export interface AskedHistory extends Wait {
  readonly query: string;
  /** Least similarity. */
  readonly threshold: number;
  readonly outcome?: TraceOutcome | undefined;
  readonly space?: string | undefined;
  readonly scope?: Scope | undefined;
  readonly limit: number;
}

export interface FoundTrace {
  readonly trace: TraceView;
  readonly similarity: number;
}

export interface History {
  readonly items: readonly FoundTrace[];
  /** True if the question could not be compared by meaning: the model did not answer, or could not read it. */
  readonly byWords: boolean;
  readonly position: number;
}

interface TraceRow extends Record<string, unknown> {
  readonly trace: RecordedTrace;
  readonly query: string;
  readonly outcome: TraceOutcome;
  readonly created_by: string;
  readonly created_at: Date;
  readonly position: number;
  readonly cosine: number | null;
}

interface Compared extends TraceRow {
  readonly similarity: number;
}

/** Finds attempts at similar questions. */
export class TraceReader {
  readonly #models: ReadModels;
  readonly #vectors: QueryVectors;
  readonly #scales = new SimilarityScales();

  constructor(models: ReadModels, embedders: Embedders) {
    this.#models = models;
    this.#vectors = new QueryVectors(embedders);
  }

  /** The traces that the caller can see, best first: by similarity in bands, successes first, then the newest. */
  async history(caller: TenantContext, asked: AskedHistory): Promise<History> {
    const { outcome, space, limit } = asked;
    const found = await this.#find(caller, asked, {
      condition: (parameters) => [
        ...(outcome ? [`t.outcome = ${parameters.bind(outcome)}`] : []),
        ...(space === undefined ? [] : [`t.space = ${parameters.bind(space)}`]),
      ],
      select: (similar) => similar.sort(byExperience).slice(0, maxOrdered),
    });
    return { ...found, items: found.items.slice(0, limit) };
  }

  /**
   * The attempts at similar questions that the caller can see and whose outcome is known: the newest of the most similar ones, best first.
   * They are chosen whatever their outcome, so that successes hide no failures.
   */
  async neighbours(
    caller: TenantContext,
    { query, limit, ...wait }: Pick<AskedHistory, 'query' | 'limit'> & Wait,
  ): Promise<readonly FoundTrace[]> {
    const asked = { query, threshold: similarFrom, ...wait };
    const { items } = await this.#find(caller, asked, {
      condition: () => [`t.outcome <> 'pending'`],
      select: (similar) => similar.sort(byNearness).slice(0, limit).sort(byExperience),
    });
    return items;
  }

  #find(
    caller: TenantContext,
    { query, threshold, scope, minPosition, waitMs }: Omit<AskedHistory, 'limit'>,
    {
      condition,
      select,
    }: {
      readonly condition: (parameters: Parameters) => readonly string[];
      readonly select: (similar: Compared[]) => Compared[];
    },
  ): Promise<History> {
    return this.#models.read({ projections: ['traces', 'memories'], minPosition, waitMs }, async (view) => {
      const { tenant } = caller;
      const region = { tenant, visibility: visible(caller), ...(scope && { scope }) };
      const { similar, byWords } = await this.#similar(view, tenant, { query, threshold }, (parameters) =>
        allOf([regionCondition(region, 't', parameters), ...condition(parameters)]),
      );
      const items = await this.#shown(view, region, select(similar));
      return { items, byWords, position: view.position };
    });
  }

  /** The most similar earlier trace of exactly this layer and scope; undefined if none is similar. */
  nearest(
    { tenant }: TenantContext,
    query: string,
    { layer, scope }: Placement,
  ): Promise<{ readonly traceId: string; readonly similarity: number } | undefined> {
    return this.#models.read({ projections: ['traces'] }, async (view) => {
      const { similar } = await this.#similar(view, tenant, { query }, (parameters) =>
        exactly(tenant, { layer, scope }, 't', parameters),
      );
      const [best] = similar.sort(
        (left, right) => right.similarity - left.similarity || right.position - left.position,
      );
      return best && { traceId: best.trace.traceId, similarity: rounded(best.similarity) };
    });
  }

  /** The attempts of callers at similar questions, of exactly this layer and scope. */
  attemptsLike(tenant: string, query: string, placement: Placement, wait: Wait): Promise<Attempt[]> {
    return this.#models.read({ projections: ['traces'], ...wait }, async (view) => {
      const { similar } = await this.#similar(view, tenant, { query }, (parameters) =>
        allOf([exactly(tenant, placement, 't', parameters), `t.origin = 'caller'`]),
      );
      return similar
        .sort((left, right) => right.position - left.position)
        .slice(0, maxAttempts)
        .map(attemptOf);
    });
  }

  /** The attempts with these ids that are still there. */
  attempts(tenant: string, ids: readonly string[], wait: Wait): Promise<Attempt[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.#models.read({ projections: ['traces'], ...wait }, async (view) => {
      const rows = await this.#models.sql.queryAs<TraceRow>(
        tenant,
        `select trace, query, outcome, position from ${view.table('traces')}
         where tenant = $1 and trace_id = any ($2::uuid[]) order by position desc limit ${maxAttempts}`,
        [tenant, ids],
      );
      return rows.map(attemptOf);
    });
  }

  /** The traces under a condition whose questions have at least a similarity. */
  async #similar(
    view: ReadView,
    tenant: string,
    { query, threshold = similarFrom }: { readonly query: string; readonly threshold?: number },
    condition: (parameters: Parameters) => string,
  ): Promise<{ readonly similar: Compared[]; readonly byWords: boolean }> {
    const vector = await this.#vectors.of(query, variantOf(view.signature('traces')), tenant);
    const scale = vector && (await this.#scales.of(vector));
    const near = scale && { vector, least: leastValue(threshold, scale) - tolerance };
    const rows = await this.#rows(view, tenant, near, condition);
    const byWords = similarityByWords(query);
    const similar = rows
      .map((row) => ({
        ...row,
        similarity: scale && row.cosine !== null ? similarity(row.cosine, scale) : byWords(row.query),
      }))
      .filter((row) => row.similarity >= threshold);
    return { similar, byWords: scale === undefined };
  }

  /** The newest traces under a condition. With a vector, those of them whose cosine to it is at least `least`, or unknown. */
  #rows(
    view: ReadView,
    tenant: string,
    near: { readonly vector: QueryVector; readonly least: number } | undefined,
    condition: (parameters: Parameters) => string,
  ): Promise<TraceRow[]> {
    const parameters = new Parameters();
    const cosine = near ? `-(n.question <#> ${parameters.bind(near.vector.vector)}::vector)` : 'null::float8';
    const isNear =
      near && near.least > -1 ? `c.cosine >= ${parameters.bind(near.least)} or c.cosine is null` : 'true';
    return this.#models.sql.queryAs<TraceRow>(
      tenant,
      `select c.trace, c.query, c.outcome, c.created_by, c.created_at, c.position, c.cosine
       from (
         select n.*, ${cosine} as cosine
         from (
           select t.* from ${view.table('traces')} t where ${condition(parameters)}
           order by t.position desc limit ${near ? maxCompared : maxComparedByWords}) n) c
       where ${isNear}
       order by c.cosine desc nulls last, c.position desc limit ${near ? maxOrdered : maxComparedByWords}`,
      parameters.values,
    );
  }

  /**
   * Without the traces whose memory is erased, which are about to be erased themselves, and without the ids of memories that the
   * caller cannot see.
   */
  async #shown(view: ReadView, region: Region, rows: readonly Compared[]): Promise<FoundTrace[]> {
    const ids = [...new Set(rows.flatMap(({ trace }) => trace.memoryIds))];
    const parameters = new Parameters();
    const { scope: _, ...everywhere } = region;
    const found =
      ids.length === 0
        ? []
        : await this.#models.sql.queryAs<{ readonly memory_id: string; readonly is_visible: boolean }>(
            region.tenant,
            `select m.memory_id, ${regionCondition(everywhere, 'm', parameters)} as is_visible
             from ${view.table('memories')} m
             where m.tenant = ${parameters.bind(region.tenant)} and m.to_position is null
               and m.memory_id = any (${parameters.bind(ids)}::uuid[])`,
            parameters.values,
          );
    const known = new Map(found.map(({ memory_id: id, is_visible: isVisible }) => [id, isVisible]));
    return rows
      .filter(({ trace }) => trace.origin === 'search' || trace.memoryIds.every((id) => known.has(id)))
      .map(({ trace, ...row }) => {
        const visibleIds = (ids: readonly string[]) => ids.filter((id) => known.get(id));
        const { memoryIds, helpfulIds, outcome: _, ...rest } = trace;
        const shown: RecordedTrace = {
          ...rest,
          outcome: row.outcome,
          memoryIds: visibleIds(memoryIds),
          ...(helpfulIds && { helpfulIds: visibleIds(helpfulIds) }),
        };
        const made = { createdBy: row.created_by, createdAt: row.created_at.toISOString() };
        return { trace: traceView(shown, made), similarity: rounded(row.similarity) };
      });
  }
}

function attemptOf({ trace, outcome, position }: TraceRow): Attempt {
  const { traceId: id, space, query, approach, strategy, failureReason, successFactors } = trace;
  return { id, space, query, approach, strategy, failureReason, successFactors, outcome, position };
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
