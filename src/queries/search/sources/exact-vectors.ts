import { regionCondition } from '../../scope-sql.ts';
import { Parameters } from '../../sql-builder.ts';
import { filterJoin } from '../filter-join.ts';
import type { CandidateQuery, CandidateSource, DenseQuery, Hit } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { inPrefilterSet, type PrefilterSet } from './prefilter-set.ts';
import { negativeCosine, otherSignal, withResidentSignals } from './signals.ts';

/** How many of the nearest are checked against the filters for each one requested; all of them only if too few pass. */
const checkedPerHit = 4;

/** Compares the query with every vector: those of a prefilter set, or all that the restrictions allow. */
export class ExactVectorSource implements CandidateSource {
  readonly #context: SourceContext;
  readonly #set: PrefilterSet | undefined;

  constructor(context: SourceContext, set?: PrefilterSet) {
    this.#context = context;
    this.#set = set;
  }

  get kind() {
    return 'dense' as const;
  }

  async find(query: CandidateQuery, limit: number): Promise<readonly Hit[]> {
    const { dense } = query;
    if (!dense) return [];
    const set = this.#set;
    if (!set) return this.#nearest(query, dense, limit);
    // Nearly all memories of a set pass the filters that it was made from: sorting all of it takes as long as comparing it.
    const most = limit * checkedPerHit;
    const found = await this.#nearestOfSet(query, dense, set, limit, most);
    const isShort = found.length < limit && set.size > most;
    return isShort ? this.#nearestOfSet(query, dense, set, limit, set.size) : found;
  }

  #nearest(
    query: CandidateQuery,
    { vector, table, hasSeveral }: DenseQuery,
    limit: number,
  ): Promise<readonly Hit[]> {
    const parameters = new Parameters();
    const { view } = this.#context;
    const negative = negativeCosine('k.embedding', `${parameters.bind(vector)}::vector`);
    const allowed = `k.embedding is not null and ${regionCondition(query.region, 'k', parameters)}`;
    // The filters of a memory are checked once, not for each of its rows: they may read all of its text.
    const nearest = hasSeveral
      ? `select k.* from (
           select k.memory_id, min(${negative}) as negative from ${table} k where ${allowed} group by k.memory_id offset 0) k
         ${filterJoin(view, query, 'k', parameters)} order by k.negative limit ${parameters.bind(limit)}`
      : `select k.memory_id, ${negative} as negative from ${table} k ${filterJoin(view, query, 'k', parameters)}
         where ${allowed} order by negative limit ${parameters.bind(limit)}`;
    return this.#withText(query, nearest, parameters);
  }

  /** The nearest `checked` are checked against the filters, nearest first, until `limit` have passed. */
  #nearestOfSet(
    query: CandidateQuery,
    { vector, table, hasSeveral }: DenseQuery,
    set: PrefilterSet,
    limit: number,
    checked: number,
  ): Promise<readonly Hit[]> {
    const parameters = new Parameters();
    const { view } = this.#context;
    const { region } = query;
    const negative = negativeCosine('t.embedding', `${parameters.bind(vector)}::vector`);
    const inSet = inPrefilterSet(view, region.tenant, set, 't', parameters);
    const distance = hasSeveral ? `min(${negative})` : negative;
    const nearest = `select t.memory_id, ${distance} as negative from ${table} t
       where t.embedding is not null and ${inSet} and ${regionCondition(region, 't', parameters)}
       ${hasSeveral ? 'group by t.memory_id' : ''} order by negative limit ${parameters.bind(checked)}`;
    const passing = `select found.* from (${nearest}) found
       ${filterJoin(view, query, 'found', parameters)} order by found.negative limit ${parameters.bind(limit)}`;
    return this.#withText(query, passing, parameters);
  }

  async #withText(query: CandidateQuery, nearest: string, parameters: Parameters): Promise<readonly Hit[]> {
    const { words } = otherSignal(this.#context, query, parameters);
    const rows = await this.#context.tx.query<Hit>(
      `select found.memory_id, -found.negative as cosine, l.* from (${nearest}) found left join ${words('found')} l on true`,
      parameters.values,
    );
    return withResidentSignals(this.#context, query, rows);
  }
}
