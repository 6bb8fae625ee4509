import { regionCondition } from '../../scope-sql.ts';
import { Parameters } from '../../sql-builder.ts';
import { filterJoin } from '../filter-join.ts';
import type { CandidateQuery, CandidateSource, Hit } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { inPrefilterSet, type PrefilterSet } from './prefilter-set.ts';
import { otherSignal, withResidentSignals } from './signals.ts';
import { bm25Column, hasTerms } from './term-columns.ts';

/** Computes our own BM25 for every text of a prefilter set that contains a term of the query. */
export class ExactWordSource implements CandidateSource {
  readonly #context: SourceContext;
  readonly #set: PrefilterSet;

  constructor(context: SourceContext, set: PrefilterSet) {
    this.#context = context;
    this.#set = set;
  }

  get kind() {
    return 'lexical' as const;
  }

  async find(query: CandidateQuery, limit: number): Promise<readonly Hit[]> {
    const parameters = new Parameters();
    const { tx, view } = this.#context;
    const { region, weighted } = query;
    const scored = `select t.memory_id, ${bm25Column(view, weighted, parameters)} as bm25 from ${view.table('lexical')} t
       where t.body is not null and ${hasTerms(view, weighted.terms, parameters)}
         and ${inPrefilterSet(view, region.tenant, this.#set, 't', parameters)} and ${regionCondition(region, 't', parameters)}
       order by bm25 desc`;
    const best = `select found.memory_id from (${scored}) found
       ${filterJoin(view, query, 'found', parameters)} order by found.bm25 desc limit ${parameters.bind(limit)}`;
    const { words, meaning } = otherSignal(this.#context, query, parameters);
    const rows = await tx.query<Hit>(
      `select found.memory_id, l.*, k.cosine from (${best}) found
       cross join ${words('found')} l left join ${meaning('found')} k on true`,
      parameters.values,
    );
    return withResidentSignals(this.#context, query, rows);
  }
}
