import { filedUnderAll } from '../../postings-sql.ts';
import { indexesTerms } from '../../../read-models/lexical/variant.ts';
import { regionCondition } from '../../scope-sql.ts';
import { Parameters } from '../../sql-builder.ts';
import { filterJoin } from '../filter-join.ts';
import type { CandidateQuery, CandidateSource, Hit } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { lexicalRows } from './lexical-rows.ts';
import type { PrefilterSet } from './prefilter-set.ts';

/** The best texts by the database's BM25 index: of a prefilter set, or of all. */
export class Bm25Source implements CandidateSource {
  readonly #context: SourceContext;
  readonly #set: PrefilterSet | undefined;

  constructor(context: SourceContext, set?: PrefilterSet) {
    this.#context = context;
    this.#set = set;
  }

  get kind() {
    return 'lexical' as const;
  }

  async find(query: CandidateQuery, limit: number): Promise<readonly Hit[]> {
    const { view, planner } = this.#context;
    const { region, weighted } = query;
    const parameters = new Parameters();
    const [column, name, text] = indexesTerms(view.signature('lexical'))
      ? ['terms', 'lexical_words', weighted.terms.join(' ')]
      : ['body', 'lexical_body', query.text];
    const score = `l.${column} <@> to_bm25query(${parameters.bind(text)}, '${view.table('lexical', name)}')`;
    // Looked up in a hash of the set's ids: a join would not keep the order in which the index returns rows.
    const inSet = this.#set
      ? `and (l.memory_id in (${filedUnderAll(this.#set.lists, view, region.tenant, parameters)})) is true`
      : '';
    const found = `select l.* from ${view.table('lexical')} l ${filterJoin(view, query, 'l', parameters)}
       where l.body is not null and ${regionCondition(region, 'l', parameters)} ${inSet}
       order by ${score} limit ${parameters.bind(limit)}`;
    // The index returns only rows that match. A condition on the score would tokenise each of them again (.1 ms), and so would
    // a plan without the index, whose cost the planner does not know: other plans are ruled out.
    const [, hits] = await Promise.all([
      planner.preferIndexes(limit),
      lexicalRows(this.#context, query, found, parameters),
    ]);
    return hits;
  }
}
