import { refinedWithinMs } from '../../domain/learning/refinement.ts';
import { decisions, earlyOutcomes, type DecisionRow, type SearchKey } from '../../read-models/decisions.ts';
import type { ReadModels, ReadView, Wait } from '../read-models.ts';

/** A search in a session. */
export interface SessionSearch extends SearchKey {
  readonly session: string;
  readonly askedAt: Date;
}

/** Reads the searches whose outcome is not known yet, from the read model `decisions`. */
export class OpenSearches {
  readonly #models: ReadModels;
  readonly #windowMs: number;

  /** A search is closed `windowMs` after it was asked, or at the end of its session. */
  constructor(models: ReadModels, windowMs: number) {
    this.#models = models;
    this.#windowMs = windowMs;
  }

  /** Searches to be closed at a time, the longest overdue first, without those in `except`. */
  due(at: Date, limit: number, except: readonly string[], wait: Wait): Promise<DecisionRow[]> {
    return this.#read(wait, (table) =>
      this.#rows(
        `select * from ${table}
         where outcome is null and (asked_at <= $1::timestamptz - $2 * interval '1 millisecond' or ended_at <= $1)
           and search <> all ($3)
         order by least(asked_at + $2 * interval '1 millisecond', ended_at) limit $4`,
        [at, this.#windowMs, except, limit],
      ),
    );
  }

  /** When the next search, without those in `except`, is to be closed; undefined if none is open. */
  nextDue(except: readonly string[]): Promise<Date | undefined> {
    return this.#read({ waitMs: 0 }, async (table) => {
      const [row] = await this.#models.sql.query<{ readonly next: Date | null }>(
        `select least(min(asked_at) + $1 * interval '1 millisecond', min(ended_at)) as next from ${table}
         where outcome is null and search <> all ($2)`,
        [this.#windowMs, except],
      );
      return row?.next ?? undefined;
    });
  }

  /** Position of the last search in the sessions of these searches; 0 if none of them has a session. */
  async lastIn(searches: readonly DecisionRow[], wait: Wait): Promise<number> {
    const inSession = searches.filter(({ session }) => session !== undefined);
    if (inSession.length === 0) return 0;
    return this.#read(wait, async (table) => {
      const [row] = await this.#models.sql.query<{ readonly last: number | null }>(
        `select max(d.position) as last from unnest($1::text[], $2::text[]) as wanted(tenant, session)
         join ${table} d on d.tenant = wanted.tenant and d.session = wanted.session`,
        [inSession.map(({ tenant }) => tenant), inSession.map(({ session }) => session!)],
      );
      return row?.last ?? 0;
    });
  }

  /** The rows of these searches, in any order, without those that are of no use any more. */
  rowsOf(keys: readonly SearchKey[], wait: Wait): Promise<DecisionRow[]> {
    if (keys.length === 0) return Promise.resolve([]);
    return this.#read(wait, (table) =>
      this.#rows(
        `select d.* from unnest($1::text[], $2::text[]) as wanted(tenant, search)
         join ${table} d on d.tenant = wanted.tenant and d.search = wanted.search`,
        [keys.map(({ tenant }) => tenant), keys.map(({ search }) => search)],
      ),
    );
  }

  /** Those of the searches whose outcome was posted before they were recorded. */
  early(keys: readonly SearchKey[], wait: Wait): Promise<SearchKey[]> {
    if (keys.length === 0) return Promise.resolve([]);
    return this.#read(wait, (_table, view) =>
      this.#models.sql.query<SearchKey & Record<string, unknown>>(
        `select e.tenant, e.search from unnest($1::text[], $2::text[]) as wanted(tenant, search)
         join ${view.table('decisions', earlyOutcomes.name)} e on e.tenant = wanted.tenant and e.search = wanted.search`,
        [keys.map(({ tenant }) => tenant), keys.map(({ search }) => search)],
      ),
    );
  }

  /**
   * The searches that this one may refine, the latest first, at most `limit`: of the same session, answered when it was asked, shortly
   * before it, and without an outcome that somebody has posted.
   */
  before(
    { tenant, session, search, askedAt }: SessionSearch,
    limit: number,
    wait: Wait,
  ): Promise<DecisionRow[]> {
    return this.#read(wait, (table) =>
      this.#rows(
        `select * from ${table}
         where tenant = $1 and session = $2 and search <> $3 and asked_at >= $4 and asked_at <= $5 and answered_at <= $5
           and not coalesce((outcome ->> 'explicit')::boolean, false)
         order by asked_at desc limit $6`,
        [tenant, session, search, new Date(askedAt.getTime() - refinedWithinMs), askedAt, limit],
      ),
    );
  }

  async #rows(text: string, params: Parameters<ReadModels['sql']['query']>[1]): Promise<DecisionRow[]> {
    const rows = await this.#models.sql.query(text, params);
    return rows.map((row) => decisions.rowOf(row) as DecisionRow);
  }

  #read<Result>(wait: Wait, body: (table: string, view: ReadView) => Promise<Result>): Promise<Result> {
    return this.#models.read({ projections: ['decisions'], ...wait }, (view) =>
      body(view.table('decisions'), view),
    );
  }
}
