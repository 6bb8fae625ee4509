import type { CandidateQuery, CandidateSource, Hit } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { confirmed } from './lexical-rows.ts';

/** What a lexical index on a server (OpenSearch) found before the transaction began: `LexicalIndexSearch`. */
export class LexicalIndexSource implements CandidateSource {
  readonly #context: SourceContext;
  readonly #ids: readonly string[];

  /** `ids`: best first. */
  constructor(context: SourceContext, ids: readonly string[]) {
    this.#context = context;
    this.#ids = ids;
  }

  get kind() {
    return 'lexical' as const;
  }

  find(query: CandidateQuery, limit: number): Promise<readonly Hit[]> {
    return confirmed(this.#context, query, this.#ids, limit);
  }
}
