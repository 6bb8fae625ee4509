import type { TenantContext } from '../../domain/access/context.ts';
import type { Action } from '../../domain/routing/actions.ts';
import { aggregate } from '../../domain/routing/aggregate.ts';
import { complexityOf } from '../../domain/routing/complexity.ts';
import type { Aggregation, Plan } from '../../domain/routing/plan.ts';
import type { Features } from '../../domain/routing/policy.ts';
import { maxAgeOf } from '../../domain/routing/recency.ts';
import type { Trajectory } from '../../domain/retrieval/trajectory.ts';
import type { ReadView } from '../read-models.ts';
import type { Reflection } from '../reasoning/reasoner.ts';
import { dropNearDuplicates } from '../search/near-duplicates.ts';
import { byScore, type Scored } from '../search/shortlist.ts';
import type { SearchRequest } from '../search/query.ts';
import type { Finding, Warning } from '../search/search.ts';
import { SubqueryQueue } from './subquery-queue.ts';
import { BudgetExhausted, type Budget } from './budget.ts';
import type { ExecutorDependencies } from './executor-dependencies.ts';
import { isBounded, type SearchBounds } from './search-bounds.ts';
import { SubquerySearches } from './subquery-searches.ts';
import { actionsFor, subqueriesOf, type Subquery } from './subqueries.ts';
import { answering, isIn, ResultAccumulator, resembling } from './result-accumulator.ts';
import type { StepOutcome, TrajectoryRecorder } from './trajectory-recorder.ts';

/** How many places a drill-down searches one by one: `few` normally, `many` in an exhaustive search. */
const fanOut = { few: 3, many: 10 } as const;
/** How many of the best matches are read for the identifiers that they mention. */
const naming = 4;
const dayMs = 24 * 60 * 60 * 1000;

export interface DecompositionSettings extends ExecutorDependencies {
  readonly caller: TenantContext;
  readonly request: SearchRequest;
  readonly view: ReadView;
  /** A subquery with at least this complexity score is decomposed itself. */
  readonly threshold: number;
  /** The tenant allows a language model to propose plans. */
  readonly mayAskModel: boolean;
  readonly budget: Budget;
  readonly recorder: TrajectoryRecorder;
  /** Undefined if reflection is switched off. */
  readonly reflection: Reflection | undefined;
}

/** Position of a question in the tree of questions. */
interface Place {
  readonly question: string;
  readonly base: SearchBounds;
  readonly depth: number;
  readonly parent: number | undefined;
}

interface Result {
  readonly finding: Finding;
  readonly citations: Trajectory['citations'];
  readonly warnings: ReadonlySet<string>;
  readonly maxDepth: number;
}

/** Answers one question by decomposing it into subqueries, recursively. */
export class DecompositionRun {
  readonly #setting: DecompositionSettings;
  readonly #place: Place;
  readonly #accumulator = new ResultAccumulator();
  /** Warning codes, shared by the whole tree of questions. */
  readonly #codes: Set<string>;
  readonly #warnings: Map<string, Warning>;
  #queue: SubqueryQueue;
  #searching: SubquerySearches;
  #isExhaustive = false;
  #aggregation: Aggregation = 'combine';
  readonly #models = new Set<string>();
  #searches = 0;
  #maxDepth: number;
  readonly #sifted = { relevance: false, recency: false };

  constructor(setting: DecompositionSettings, inside?: DecompositionRun, place?: Place) {
    const { request } = setting;
    const { layers, scope, filter } = request;
    this.#setting = setting;
    this.#place = place ?? {
      question: request.query,
      base: { layers, scope, filter },
      depth: 0,
      parent: undefined,
    };
    this.#queue = new SubqueryQueue(this.#place.base, []);
    this.#searching = new SubquerySearches(setting, this.#queue, false);
    this.#codes = inside ? inside.#codes : new Set();
    this.#warnings = inside ? inside.#warnings : new Map();
    this.#maxDepth = this.#place.depth;
  }

  /** Whether at least one search has finished. */
  get found(): boolean {
    return this.#searches > 0;
  }

  /** The threshold applies to the whole question only: nested answers are cut once their scores for the whole question are known. */
  get #threshold(): number {
    return this.#place.depth === 0 ? this.#setting.request.threshold : 0;
  }

  /** Takes steps until the answer is aggregated. Throws `BudgetExhausted` and any error of a search. */
  async answer(plan: Plan): Promise<void> {
    const { threshold, policy, recorder, budget, reflection } = this.#setting;
    const { question, base, depth, parent } = this.#place;
    this.#aggregation = plan.aggregation;
    const reasoning =
      reflection && (await budget.within(reflection.about(question, plan, { depth, step: parent })));
    const { subqueries, outside } = subqueriesOf({ question, base, plan, reasoning, threshold });
    this.#isExhaustive = reasoning?.strategy === 'exhaustive';
    this.#queue = new SubqueryQueue(base, subqueries);
    this.#searching = new SubquerySearches(this.#setting, this.#queue, this.#isExhaustive);
    if (outside > 0) this.#codes.add('outside-of-request');
    for (;;) {
      const actions = this.#actions(plan.aggregation);
      const features = this.#features(plan);
      budget.takeStep();
      const choice = policy.choose(features, actions);
      const action = actions[choice.index]!;
      const { step, end } = recorder.begin({ depth, parent, features, actions, choice });
      try {
        end(await this.#take(action, step));
      } catch (error) {
        const unfinished = error instanceof BudgetExhausted;
        end({ status: unfinished ? 'unfinished' : 'failed', reason: unfinished ? error.budget : 'error' });
        throw error;
      }
      if (action.name === 'Aggregate') return;
    }
  }

  /** The best results found so far. */
  result(strategy: Aggregation): Result {
    const { view } = this.#setting;
    const best = this.#best(strategy);
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
        steps: this.#accumulator.steps(id),
      })),
      warnings: this.#codes,
      maxDepth: this.#maxDepth,
    };
  }

  /** The actions possible now. `Aggregate` is among them once a search has finished or nothing is pending. */
  #actions(strategy: Aggregation): Action[] {
    const actions: Action[] = [];
    const { next } = this.#queue;
    if (next) actions.push(...actionsFor(next.subquery, next.index));
    if (this.#accumulator.size > 0) {
      const { question } = this.#place;
      const maxAgeDays = maxAgeOf(question);
      if (maxAgeDays !== undefined && !this.#sifted.recency)
        actions.push({ name: 'FilterByRecency', maxAgeDays });
      if (!this.#sifted.relevance) actions.push({ name: 'FilterByRelevance', min: this.#threshold });
    }
    if (this.found || !next) actions.push({ name: 'Aggregate', strategy });
    return actions;
  }

  #features(plan: Plan): Features {
    const { score, signals } = complexityOf(this.#place.question);
    const { queries, steps, wall } = this.#setting.budget.used;
    const round = (value: number) => Math.round(value * 1_000) / 1_000;
    return {
      score,
      ...signals,
      depth: this.#place.depth,
      operands: plan.operands.length,
      pending: this.#queue.pending.length,
      searches: this.#searches,
      found: this.#accumulator.size,
      queriesUsed: round(queries),
      stepsUsed: round(steps),
      wallUsed: round(wall),
    };
  }

  async #take(action: Action, step: number): Promise<StepOutcome> {
    switch (action.name) {
      case 'SearchLayer':
        return this.#searchFor(this.#queue.subquery(action.operand), step);
      case 'DrillDown':
        return this.#drillDown(action);
      case 'RecursiveCall':
        return this.#recurse(this.#queue.subquery(action.operand), step);
      case 'FilterByRecency': {
        this.#sifted.recency = true;
        const { clock, request } = this.#setting;
        const now = request.now ?? clock.now();
        const oldest = new Date(now.getTime() - action.maxAgeDays * dayMs);
        const young = this.#accumulator.markOlderThan(oldest);
        return { status: 'done', found: young, ...(young === 0 && { reason: 'none-is-recent' }) };
      }
      case 'FilterByRelevance':
        this.#sifted.relevance = true;
        return { status: 'done', found: this.#accumulator.dropBelow(action.min) };
      case 'Aggregate':
        return { status: 'done', ...summaryOf(this.#best(action.strategy)) };
      default:
        return action satisfies never;
    }
  }

  async #searchFor(subquery: Subquery, step: number): Promise<StepOutcome> {
    subquery.state = 'done';
    const found = await this.#search(subquery);
    for (const one of found) this.#add(one, subquery, [step]);
    if (subquery.follow === 'scope' && found[0]) this.#queue.followScope(subquery, found[0].memory);
    if (subquery.follow === 'mentions') await this.#followMentions(subquery, found);
    const met = found.filter(({ memory }) => isIn(memory, subquery.conditions.scope ?? {})).length;
    if (subquery.evidence <= answering) return { status: 'done', ...summaryOf(found) };
    const [weaker, ...rest] = subquery.weaker;
    if (weaker && (met < this.#setting.request.topK || this.#isExhaustive)) {
      // Half of the evidence for the first of the weaker conditions, a third for the second.
      this.#queue.again(
        subquery,
        { ...subquery.conditions, filter: weaker },
        1 / (1 / subquery.evidence + 1),
        rest,
      );
      return { status: 'done', reason: 'too-few', ...summaryOf(found) };
    }
    if (met > 0) {
      if (this.#isExhaustive) this.#queue.widen(subquery);
      return { status: 'done', ...summaryOf(found) };
    }
    // No memory meets the condition: repeat the subquery without it, so that a condition never empties the answer.
    this.#codes.add('condition-unmet');
    this.#queue.again(subquery, {}, answering);
    return { status: 'done', reason: 'condition-unmet', ...summaryOf(found) };
  }

  /** Queues a search for the memories that the best matches mention. All parts of a document count, as any of them may mention others. */
  async #followMentions(subquery: Subquery, found: readonly Scored[]): Promise<void> {
    const { caller, budget, mentions, request } = this.#setting;
    const best = found.slice(0, naming).map(({ memory }) => memory);
    const filter = await budget.within(mentions(caller, best, request));
    if (filter) this.#queue.again(subquery, { filter }, 1);
  }

  async #search(subquery: Subquery): Promise<readonly Scored[]> {
    const finding = await this.#searching.find(subquery);
    this.#searches++;
    if (finding.embeddingModel !== undefined) this.#models.add(finding.embeddingModel);
    for (const warning of finding.warnings) this.#warnings.set(warning.detail, warning);
    return finding.best;
  }

  /** Replaces a subquery about several places by one subquery per place, starting with the places that have the most results. */
  async #drillDown(action: Extract<Action, { name: 'DrillDown' }>): Promise<StepOutcome> {
    const { caller, view, budget, places } = this.#setting;
    const subquery = this.#queue.subquery(action.operand);
    subquery.drillTo = undefined;
    const { from, to, filter } = action;
    const { layers, scope, filter: within } = subquery.bounds;
    const asked = { from, to, filter, layers, scope, within };
    const { names, named } = await budget.within(places(caller, asked, view));
    const weights = this.#accumulator.weightByPlace(to);
    const best = [...names].sort((left, right) => (weights.get(right) ?? 0) - (weights.get(left) ?? 0));
    const most = this.#isExhaustive ? fanOut.many : fanOut.few;
    // A place that the question does not name is not a condition: other places may answer it as well.
    const evidence = named ? 1 : subquery.evidence;
    const chosen = best.slice(0, most);
    const split = this.#queue.split(subquery, to, chosen, evidence);
    if (subquery.side === undefined) this.#accumulator.takeAsSides(to, chosen);
    if (split > 0 || !subquery.maySearch) subquery.state = 'done';
    if (split === 0) return { status: 'done', reason: 'no-places' };
    return { status: 'done', found: names.length };
  }

  /** Decomposes a subquery as a question of its own, one level deeper. */
  async #recurse(subquery: Subquery, step: number): Promise<StepOutcome> {
    const { caller, budget, recorder, mayAskModel, plan, request: demand } = this.#setting;
    subquery.mayRecurse = false;
    const depth = this.#place.depth + 1;
    if (depth > budget.limits.depth) return { status: 'rejected', reason: 'depth-limit' };
    subquery.state = 'done';
    const place = { question: subquery.query, base: subquery.bounds, depth, parent: step };
    const inner = new DecompositionRun(this.#setting, this, place);
    let aggregation: Aggregation = 'combine';
    try {
      const planned = await budget.within(
        plan(subquery.query, caller, {
          depth,
          parent: step,
          budget,
          recorder,
          mayAskModel,
          now: demand.now,
          demand,
        }),
      );
      // A single subquery keeps the aggregation of the whole question, even if its own words no longer imply it.
      const isWhole = subquery.side === undefined && this.#aggregation !== 'combine';
      aggregation = isWhole ? this.#aggregation : planned.aggregation;
      await inner.answer({ ...planned, aggregation });
    } finally {
      // Keep the results of an interrupted run too.
      this.#adopt(inner, subquery, step, aggregation);
    }
    if (this.#isExhaustive && isBounded(subquery.conditions)) this.#queue.widen(subquery);
    return { status: 'done', ...summaryOf(inner.#best(aggregation)) };
  }

  #adopt(inner: DecompositionRun, subquery: Subquery, step: number, aggregation: Aggregation): void {
    this.#searches += inner.#searches;
    this.#maxDepth = Math.max(this.#maxDepth, inner.#maxDepth);
    for (const model of inner.#models) this.#models.add(model);
    for (const one of inner.#best(aggregation)) {
      const { id } = one.memory;
      // The sides of a single subquery are the sides of the question.
      const side = subquery.side ?? inner.#accumulator.sideOf(id);
      this.#add(one, { ...subquery, side }, [step, ...inner.#accumulator.steps(id)]);
    }
  }

  /** A scoped search also returns memories without the scope's identifiers; those do not meet the condition. */
  #add(found: Scored, { evidence, conditions, side }: Subquery, steps: readonly number[]): void {
    const outside = evidence > answering && !isIn(found.memory, conditions.scope ?? {});
    this.#accumulator.add({ found, evidence: outside ? resembling : evidence, side, steps });
  }

  /** Up to `topK` memories, best first, at or above the threshold, without near-duplicates. */
  #best(strategy: Aggregation): Scored[] {
    const { topK } = this.#setting.request;
    const eligible = this.#accumulator.found().filter(({ score }) => score >= this.#threshold);
    const ranked = aggregate(strategy, eligible);
    for (let looked = topK + 10; ; looked *= 2) {
      const some = ranked.slice(0, looked).map((one) => this.#accumulator.shown(one));
      const kept = dropNearDuplicates(some, this.#setting.request.threshold);
      if (kept.length >= topK || some.length === ranked.length) {
        return kept.slice(0, topK).sort(byScore);
      }
    }
  }
}

function summaryOf(found: readonly Scored[]): Pick<StepOutcome, 'found' | 'results'> & { found: number } {
  return {
    found: found.length,
    results: found.map(({ memory, score }) => ({ memoryId: memory.id, score })),
  };
}
