import { regionCondition } from '../../scope-sql.ts';
import { Parameters } from '../../sql-builder.ts';
import { filterJoin } from '../filter-join.ts';
import type { CandidateQuery, CandidateSource, DenseQuery, Hit } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { ExactVectorSource } from './exact-vectors.ts';
import { negativeCosine, otherSignal, withResidentSignals } from './signals.ts';

interface GraphHit extends Hit {
  /** Number of vectors that the index found. */
  readonly in_graph: number;
}

/**
 * The nearest vectors by the database's HNSW index, and by comparison those that are not in the index yet: none in a large
 * tenant. If a selective filter exhausts the index scan, the few vectors that pass it are compared one by one.
 */
export class HnswSource implements CandidateSource {
  readonly #context: SourceContext;
  readonly #all: CandidateSource;

  constructor(context: SourceContext) {
    this.#context = context;
    this.#all = new ExactVectorSource(context);
  }

  get kind() {
    return 'dense' as const;
  }

  async find(query: CandidateQuery, limit: number): Promise<readonly Hit[]> {
    const { dense } = query;
    if (!dense) return [];
    const { planner } = this.#context;
    const [, near] = await Promise.all([planner.preferIndexes(limit), this.#byGraph(query, dense, limit)]);
    if (near.length > 0 && near[0]!.in_graph >= limit) return withResidentSignals(this.#context, query, near);
    const [, all] = await Promise.all([planner.allowAll(), this.#all.find(query, limit)]);
    return all;
  }

  #byGraph(query: CandidateQuery, { vector, table }: DenseQuery, limit: number): Promise<GraphHit[]> {
    const { tx, view } = this.#context;
    const parameters = new Parameters();
    const asked = `${parameters.bind(vector)}::vector`;
    const most = parameters.bind(limit);
    const columns = `k.memory_id, ${negativeCosine('k.embedding', asked)} as negative`;
    const filtered = () => filterJoin(view, query, 'k', parameters);
    const allowed = `k.embedding is not null and ${regionCondition(query.region, 'k', parameters)}`;
    const inGraph = `select ${columns} from ${table} k ${filtered()} where k.in_graph and ${allowed}
      order by k.embedding <=> ${asked} limit ${most}`;
    // The nearest are checked against the filters first: while the planner prefers indexes, each check is a lookup.
    const apart = `select k.* from (
        select ${columns} from ${table} k where not k.in_graph and ${allowed} order by negative) k ${filtered()}
      order by k.negative limit ${most}`;
    const { words } = otherSignal(this.#context, query, parameters);
    return tx.query<GraphHit>(
      `with graph as materialized (${inGraph}), apart as materialized (${apart})
       select found.memory_id, -found.negative as cosine, (select count(*)::integer from graph) as in_graph, l.*
       from (select * from graph union all select * from apart order by negative limit ${most}) found
       left join ${words('found')} l on true`,
      parameters.values,
    );
  }
}
