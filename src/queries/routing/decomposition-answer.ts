import type { Trajectory } from '../../domain/retrieval/trajectory.ts';
import { aggregate } from '../../domain/routing/aggregate.ts';
import type { Aggregation } from '../../domain/routing/plan.ts';
import type { ReadView } from '../read-models.ts';
import { dropNearDuplicates } from '../search/near-duplicates.ts';
import type { SearchRequest } from '../search/query.ts';
import type { Finding, Warning } from '../search/finding.ts';
import { byScore, type Scored } from '../search/shortlist.ts';
import { answering, isIn, resembling, ResultAccumulator } from './result-accumulator.ts';
import type { Subquery } from './subqueries.ts';

export interface DecompositionResult {
  readonly finding: Finding;
  readonly citations: Trajectory['citations'];
  readonly warnings: ReadonlySet<string>;
  readonly maxDepth: number;
}

/** The answer to one question: what its steps have found, and the results made from that. It can be read at any time. */
export class DecompositionAnswer {
  readonly #request: Pick<SearchRequest, 'topK' | 'threshold'>;
  /** The memories found so far. */
  readonly memories = new ResultAccumulator();
  /** Warning codes, shared by the whole tree of questions. */
  readonly #codes: Set<string>;
  readonly #warnings: Map<string, Warning>;
  readonly #models = new Set<string>();
  /** The threshold applies to the whole question only: nested answers are cut once their scores for the whole question are known. */
  readonly threshold: number;
  #searches = 0;
  #maxDepth: number;

  /** `outer` is the answer that this one becomes a part of; undefined for the whole question. */
  constructor(
    request: Pick<SearchRequest, 'topK' | 'threshold'>,
    depth: number,
    outer?: DecompositionAnswer,
  ) {
    this.#request = request;
    this.#codes = outer ? outer.#codes : new Set();
    this.#warnings = outer ? outer.#warnings : new Map();
    this.threshold = depth === 0 ? request.threshold : 0;
    this.#maxDepth = depth;
  }

  /** Number of finished searches. */
  get searches(): number {
    return this.#searches;
  }

  /** Adds a warning code to the trajectory. */
  warn(code: string): void {
    this.#codes.add(code);
  }

  /** Counts a finished search and keeps its model and warnings. Its memories are added by `add`. */
  countSearch({ embeddingModel, warnings }: Finding): void {
    this.#searches++;
    if (embeddingModel !== undefined) this.#models.add(embeddingModel);
    for (const warning of warnings) this.#warnings.set(warning.detail, warning);
  }

  /**
   * Adds a memory that a search found. A scoped search also returns memories without the scope's identifiers; those do not meet the
   * condition.
   */
  add(found: Scored, { evidence, conditions, side }: Subquery, steps: readonly number[]): void {
    const outside = evidence > answering && !isIn(found.memory, conditions.scope ?? {});
    this.memories.add({ found, evidence: outside ? resembling : evidence, side, steps });
  }

  /** Adds the results of a subquery that was decomposed in `step`. */
  adopt(inner: DecompositionAnswer, subquery: Subquery, step: number, aggregation: Aggregation): void {
    this.#searches += inner.#searches;
    this.#maxDepth = Math.max(this.#maxDepth, inner.#maxDepth);
    for (const model of inner.#models) this.#models.add(model);
    for (const one of inner.best(aggregation)) {
      const { id } = one.memory;
      // The sides of a single subquery are the sides of the question.
      const side = subquery.side ?? inner.memories.sideOf(id);
      this.add(one, { ...subquery, side }, [step, ...inner.memories.steps(id)]);
    }
  }

  /** Up to `topK` memories, best first, at or above the threshold, without near-duplicates. */
  best(strategy: Aggregation): Scored[] {
    const { topK, threshold } = this.#request;
    const eligible = this.memories.found().filter(({ score }) => score >= this.threshold);
    const ranked = aggregate(strategy, eligible);
    for (let looked = topK + 10; ; looked *= 2) {
      const some = ranked.slice(0, looked).map((one) => this.memories.shown(one));
      const kept = dropNearDuplicates(some, threshold);
      if (kept.length >= topK || some.length === ranked.length) {
        return kept.slice(0, topK).sort(byScore);
      }
    }
  }

  /** The best results found so far. */
  result(strategy: Aggregation, view: ReadView): DecompositionResult {
    const best = this.best(strategy);
    const model = [...this.#models][0];
    return {
      finding: {
        best,
        position: view.position,
        warnings: [...this.#warnings.values()],
        ...(model !== undefined && { embeddingModel: model }),
        view,
      },
      citations: best.map(({ memory: { id }, score }) => ({
        memoryId: id,
        score,
        steps: this.memories.steps(id),
      })),
      warnings: this.#codes,
      maxDepth: this.#maxDepth,
    };
  }
}
