import type { Words } from '../../../ports/word-index.ts';
import type { CandidateQuery, CandidateSource, Hit } from './candidate-source.ts';
import type { SourceContext } from './context.ts';
import { confirmed } from './lexical-rows.ts';
import { depthsOf, type ResidentBreadth } from './resident-breadth.ts';

/** The best texts by the words that this process keeps in RAM; the database confirms them. */
export class ResidentWordSource implements CandidateSource {
  readonly #context: SourceContext;
  readonly #words: Words;
  readonly #breadth: ResidentBreadth;

  constructor(context: SourceContext, words: Words, breadth: ResidentBreadth) {
    this.#context = context;
    this.#words = words;
    this.#breadth = breadth;
  }

  get kind() {
    return 'lexical' as const;
  }

  async find(query: CandidateQuery, limit: number): Promise<readonly Hit[]> {
    const { among: idsOf, share } = this.#breadth;
    const among = await idsOf?.();
    for (const depth of [...depthsOf(query, limit, { isSet: idsOf !== undefined, share }), Infinity]) {
      const ids = this.#words.best(query.weighted, depth, among);
      const hits = await confirmed(this.#context, query, ids, limit);
      if (hits.length >= limit || ids.length < depth) return hits;
    }
    throw new Error('no depth is greater than infinity');
  }
}
