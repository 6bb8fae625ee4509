import { setImmediate as afterOtherStatements } from 'node:timers/promises';
import type { Near, Vectors } from '../../../ports/vector-index.ts';
import type { ReadView } from '../../read-models.ts';
import { regionCondition } from '../../scope-sql.ts';
import { Parameters } from '../../sql-builder.ts';
import { filterJoin } from '../filter-join.ts';
import { lookupsOf } from '../lookups.ts';
import type { CandidateQuery, CandidateSource, Hit } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { depthsOf, isRestricted, type ResidentBreadth } from './resident-breadth.ts';
import { otherSignal, withResidentSignals } from './signals.ts';

/**
 * The nearest vectors that this process keeps in RAM; the database confirms them. If so few of the nearest meet the
 * restrictions that comparing only those is better, `otherwise` does that.
 */
export class ResidentVectorSource implements CandidateSource {
  readonly #context: SourceContext;
  readonly #vectors: Vectors;
  readonly #breadth: ResidentBreadth;
  readonly #otherwise: CandidateSource;

  constructor(
    context: SourceContext,
    vectors: Vectors,
    breadth: ResidentBreadth,
    otherwise: CandidateSource,
  ) {
    this.#context = context;
    this.#vectors = vectors;
    this.#breadth = breadth;
    this.#otherwise = otherwise;
  }

  get kind() {
    return 'dense' as const;
  }

  async find(query: CandidateQuery, limit: number): Promise<readonly Hit[]> {
    const { dense } = query;
    if (!dense) return [];
    const { among: idsOf, share } = this.#breadth;
    const among = await idsOf?.();
    // The comparison blocks this thread: the database works on the statements of other sources meanwhile.
    await afterOtherStatements();
    const depths = depthsOf(query, limit, { isSet: idsOf !== undefined, share });
    for (const depth of among ? [...depths, Infinity] : depths) {
      const near = this.#vectors.nearest(dense.vector, depth, among);
      const hits = await this.#confirmed(query, near, limit);
      if (hits.length >= limit || near.length < depth) return hits;
    }
    await this.#context.planner.allowAll();
    return this.#otherwise.find(query, limit);
  }

  async #confirmed(query: CandidateQuery, near: readonly Near[], limit: number): Promise<readonly Hit[]> {
    const { tx, view } = this.#context;
    const parameters = new Parameters();
    const ids = parameters.bind(near.map(({ id }) => id));
    const cosines = parameters.bind(near.map(({ cosine }) => cosine));
    const all = `unnest(${ids}::uuid[], ${cosines}::float8[]) with ordinality as found(memory_id, cosine, place)`;
    // Words are counted of the memories that pass, not of each that is checked.
    const passing = isRestricted(query) ? `(${passingOf(all, view, query, limit, parameters)}) found` : all;
    const { words } = otherSignal(this.#context, query, parameters);
    const rows = await tx.query<Hit>(
      `select found.memory_id, found.cosine, l.* from ${passing} cross join ${words('found')} l
       order by found.cosine desc limit ${parameters.bind(limit)}`,
      parameters.values,
    );
    return withResidentSignals(this.#context, query, rows);
  }
}

function passingOf(
  all: string,
  view: ReadView,
  query: CandidateQuery,
  limit: number,
  parameters: Parameters,
): string {
  const { region } = query;
  const allowed = `t.body is not null and ${regionCondition(region, 't', parameters)}`;
  const lookup = lookupsOf(region.tenant, parameters);
  return `select found.* from ${all} cross join ${lookup('true', view.table('lexical'), allowed)} l
    ${filterJoin(view, query, 'found', parameters)} order by found.place limit ${parameters.bind(limit)}`;
}
