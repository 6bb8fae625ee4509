import { lexicalGeneration } from '../../../read-models/lexical/variant.ts';
import {
  LexicalIndexUnavailable,
  mostAmong,
  mostResults,
  NoSuchGeneration,
  type LexicalIndex,
} from '../../../ports/lexical-index.ts';
import type { Sql } from '../../../ports/sql.ts';
import { CircuitBreaker, ConsecutiveFailures } from '../../../support/resilience/circuit-breaker.ts';
import { abandonAfter } from '../../../support/resilience/time-limit.ts';
import type { ReadView } from '../../read-models.ts';
import { regionCondition } from '../../scope-sql.ts';
import { Parameters } from '../../sql-builder.ts';
import { filterJoin, hasFilters } from '../filter-join.ts';
import type { Restrictions } from './candidate-source.ts';

/** What is searched for in a lexical index. */
export interface LexicalIndexQuery extends Restrictions {
  readonly text: string;
}

/** How long an answer is awaited. */
const patienceMs = 1_500;
/** How long the index is not asked after a failure; then one search tries again. */
const pauseMs = 5_000;
/** How many times more results are requested if filters may remove most of them. */
const excess = 10;

/**
 * Finds memories by their words in a lexical index on a server (OpenSearch). The index does not know the filters: they are
 * checked in the database, and more results are requested if too few pass.
 */
export class LexicalIndexSearch {
  readonly #sql: Sql;
  readonly #index: LexicalIndex;
  readonly #breaker = new CircuitBreaker({
    rule: new ConsecutiveFailures(1),
    openMs: pauseMs,
    trialMs: patienceMs,
  });

  constructor(sql: Sql, index: LexicalIndex) {
    this.#sql = sql;
    this.#index = index;
  }

  /** Ids of memories, best first; undefined if the index does not answer. Must not run inside a transaction. */
  async find(
    view: ReadView,
    query: LexicalIndexQuery,
    limit: number,
  ): Promise<readonly string[] | undefined> {
    const isFiltered = hasFilters(query);
    const most = isFiltered ? Math.min(mostResults, limit * excess) : limit;
    const best = await this.#search(view, query, most);
    if (best === undefined || !isFiltered) return best;
    const passing = new Set(await this.#passing(view, query, { of: best }));
    const left = best.filter((id) => passing.has(id));
    const isEnough = best.length < most || left.length >= limit;
    return isEnough ? left : this.#amongPassing(view, query, limit);
  }

  /**
   * Searches only the memories that pass the filters, part by part. The best so far are searched again with each part: the index
   * returns an order, but no scores by which two results could be merged.
   */
  async #amongPassing(
    view: ReadView,
    query: LexicalIndexQuery,
    limit: number,
  ): Promise<readonly string[] | undefined> {
    const partSize = mostAmong - limit;
    let best: readonly string[] = [];
    for (let after: string | undefined; ;) {
      const among = await this.#passing(view, query, { after, limit: partSize });
      if (among.length > 0) {
        const found = await this.#search(view, query, limit, [...best, ...among]);
        if (found === undefined) return undefined;
        best = found;
      }
      if (among.length < partSize) return best;
      after = among.at(-1);
    }
  }

  async #search(
    view: ReadView,
    { region, text }: LexicalIndexQuery,
    limit: number,
    among?: readonly string[],
  ): Promise<string[] | undefined> {
    const permit = this.#breaker.enter();
    if (!permit) return undefined;
    const generation = lexicalGeneration(view.generation('lexical'));
    const late = () => new LexicalIndexUnavailable(`no answer within ${patienceMs} ms`);
    try {
      const search = { region, text, limit, ...(among && { among }) };
      const ids = await abandonAfter(patienceMs, () => this.#index.search(search, generation), late);
      permit.succeeded();
      return ids;
    } catch (error) {
      if (!(error instanceof LexicalIndexUnavailable || error instanceof NoSuchGeneration)) throw error;
      permit.failed();
      return undefined;
    }
  }

  /** Ids of memories that pass the filters: of those in `of`, or the next ones after an id. */
  async #passing(
    view: ReadView,
    query: LexicalIndexQuery,
    { of, after, limit = mostAmong }: { of?: readonly string[]; after?: string | undefined; limit?: number },
  ): Promise<string[]> {
    const { region } = query;
    const parameters = new Parameters();
    const join = filterJoin(view, query, 'l', parameters);
    const given = of ? `and l.memory_id = any (${parameters.bind(of)}::uuid[])` : '';
    const later = after === undefined ? '' : `and l.memory_id > ${parameters.bind(after)}::uuid`;
    const rows = await this.#sql.queryAs<{ memory_id: string }>(
      region.tenant,
      `select l.memory_id from ${view.table('lexical')} l ${join}
       where l.body is not null and ${regionCondition(region, 'l', parameters)} ${given} ${later}
       order by l.memory_id limit ${parameters.bind(limit)}`,
      parameters.values,
    );
    return rows.map(({ memory_id }) => memory_id);
  }
}
