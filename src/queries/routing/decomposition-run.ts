import type { TenantContext } from '../../domain/access/context.ts';
import type { Action } from '../../domain/routing/actions.ts';
import { complexityOf } from '../../domain/routing/complexity.ts';
import type { Aggregation, Plan } from '../../domain/routing/plan.ts';
import type { Features } from '../../domain/routing/policy.ts';
import { maxAgeOf } from '../../domain/routing/recency.ts';
import type { ReadView } from '../read-models.ts';
import type { Reflection } from '../reasoning/reasoner.ts';
import type { Scored } from '../search/shortlist.ts';
import type { SearchRequest } from '../search/query.ts';
import { SubqueryQueue } from './subquery-queue.ts';
import { BudgetExhausted, type Budget } from './budget.ts';
import { DecompositionAnswer } from './decomposition-answer.ts';
import type { ExecutorDependencies } from './executor-dependencies.ts';
import { isBounded, type SearchBounds } from './search-bounds.ts';
import { SubquerySearches } from './subquery-searches.ts';
import { actionsFor, subqueriesOf, type Subquery } from './subqueries.ts';
import { answering, isIn } from './result-accumulator.ts';
import type { StepResult, TrajectoryRecorder } from './trajectory-recorder.ts';

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

/** Searches for one question by decomposing it into subqueries, recursively, in a loop of actions that a policy chooses. */
export class DecompositionRun {
  readonly #setting: DecompositionSettings;
  readonly #place: Place;
  /** What was found so far. It is complete once the run has ended, and can be read if it was interrupted. */
  readonly answer: DecompositionAnswer;
  #queue: SubqueryQueue;
  #searching: SubquerySearches;
  #isExhaustive = false;
  #aggregation: Aggregation = 'combine';
  readonly #sifted = { relevance: false, recency: false };

  constructor(setting: DecompositionSettings, outer?: DecompositionAnswer, place?: Place) {
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
    this.answer = new DecompositionAnswer(request, this.#place.depth, outer);
  }

  /** Takes steps until the answer is aggregated. Throws `BudgetExhausted` and any error of a search. */
  async run(plan: Plan): Promise<void> {
    const { threshold, policy, recorder, budget, reflection } = this.#setting;
    const { question, base, depth, parent } = this.#place;
    this.#aggregation = plan.aggregation;
    const reasoning =
      reflection && (await budget.within(reflection.about(question, plan, { depth, step: parent })));
    const { subqueries, outside } = subqueriesOf({ question, base, plan, reasoning, threshold });
    this.#isExhaustive = reasoning?.strategy === 'exhaustive';
    this.#queue = new SubqueryQueue(base, subqueries);
    this.#searching = new SubquerySearches(this.#setting, this.#queue, this.#isExhaustive);
    if (outside > 0) this.answer.warn('outside-of-request');
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

  /** The actions possible now. `Aggregate` is among them once a search has finished or nothing is pending. */
  #actions(strategy: Aggregation): Action[] {
    const actions: Action[] = [];
    const { next } = this.#queue;
    if (next) actions.push(...actionsFor(next.subquery, next.index));
    if (this.answer.memories.size > 0) {
      const { question } = this.#place;
      const maxAgeDays = maxAgeOf(question);
      if (maxAgeDays !== undefined && !this.#sifted.recency)
        actions.push({ name: 'FilterByRecency', maxAgeDays });
      if (!this.#sifted.relevance) actions.push({ name: 'FilterByRelevance', min: this.answer.threshold });
    }
    if (this.answer.searches > 0 || !next) actions.push({ name: 'Aggregate', strategy });
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
      searches: this.answer.searches,
      found: this.answer.memories.size,
      queriesUsed: round(queries),
      stepsUsed: round(steps),
      wallUsed: round(wall),
    };
  }

  async #take(action: Action, step: number): Promise<StepResult> {
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
        const young = this.answer.memories.markOlderThan(oldest);
        return { status: 'done', found: young, ...(young === 0 && { reason: 'none-is-recent' }) };
      }
      case 'FilterByRelevance':
        this.#sifted.relevance = true;
        return { status: 'done', found: this.answer.memories.dropBelow(action.min) };
      case 'Aggregate':
        return { status: 'done', ...summaryOf(this.answer.best(action.strategy)) };
      default:
        return action satisfies never;
    }
  }

  async #searchFor(subquery: Subquery, step: number): Promise<StepResult> {
    subquery.state = 'done';
    const found = await this.#search(subquery);
    for (const one of found) this.answer.add(one, subquery, [step]);
    if (subquery.follow === 'scope' && found[0]) this.#queue.followScope(subquery, found[0].memory);
    if (subquery.follow === 'mentions') await this.#followMentions(subquery, found);
    const met = found.filter(({ memory }) => isIn(memory, subquery.conditions.scope ?? {})).length;
    if (subquery.evidence <= answering) return { status: 'done', ...summaryOf(found) };
    const [weaker, ...rest] = subquery.weaker;
    if (weaker && (met < this.#setting.request.topK || this.#isExhaustive)) {
      // The first of the weaker conditions counts half of the evidence, the second a third.
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
    this.answer.warn('condition-unmet');
    this.#queue.again(subquery, {}, answering);
    return { status: 'done', reason: 'condition-unmet', ...summaryOf(found) };
  }

  /** Queues a search for the memories that the best matches mention. All parts of a document are read, because any of them may mention other memories. */
  async #followMentions(subquery: Subquery, found: readonly Scored[]): Promise<void> {
    const { caller, budget, mentions, request } = this.#setting;
    const best = found.slice(0, naming).map(({ memory }) => memory);
    const filter = await budget.within(mentions(caller, best, request));
    if (filter) this.#queue.again(subquery, { filter }, 1);
  }

  async #search(subquery: Subquery): Promise<readonly Scored[]> {
    const finding = await this.#searching.find(subquery);
    this.answer.countSearch(finding);
    return finding.best;
  }

  /** Replaces a subquery about several places by one subquery per place, starting with the places that have the most results. */
  async #drillDown(action: Extract<Action, { name: 'DrillDown' }>): Promise<StepResult> {
    const { caller, view, budget, places } = this.#setting;
    const subquery = this.#queue.subquery(action.operand);
    subquery.drillTo = undefined;
    const { from, to, filter } = action;
    const { layers, scope, filter: within } = subquery.bounds;
    const asked = { from, to, filter, layers, scope, within };
    const { names, named } = await budget.within(places(caller, asked, view));
    const weights = this.answer.memories.weightByPlace(to);
    const best = [...names].sort((left, right) => (weights.get(right) ?? 0) - (weights.get(left) ?? 0));
    const most = this.#isExhaustive ? fanOut.many : fanOut.few;
    // A place that the question does not name is not a condition: other places may answer it as well.
    const evidence = named ? 1 : subquery.evidence;
    const chosen = best.slice(0, most);
    const split = this.#queue.split(subquery, to, chosen, evidence);
    if (subquery.side === undefined) this.answer.memories.takeAsSides(to, chosen);
    if (split > 0 || !subquery.maySearch) subquery.state = 'done';
    if (split === 0) return { status: 'done', reason: 'no-places' };
    return { status: 'done', found: names.length };
  }

  /** Decomposes a subquery as a question of its own, one level deeper. */
  async #recurse(subquery: Subquery, step: number): Promise<StepResult> {
    const { caller, budget, recorder, mayAskModel, plan, request: demand } = this.#setting;
    subquery.mayRecurse = false;
    const depth = this.#place.depth + 1;
    if (depth > budget.limits.depth) return { status: 'rejected', reason: 'depth-limit' };
    subquery.state = 'done';
    const place = { question: subquery.query, base: subquery.bounds, depth, parent: step };
    const inner = new DecompositionRun(this.#setting, this.answer, place);
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
          utcOffset: demand.utcOffset,
          demand,
        }),
      );
      // A single subquery keeps the aggregation of the whole question, even if its own words no longer imply it.
      const isWhole = subquery.side === undefined && this.#aggregation !== 'combine';
      aggregation = isWhole ? this.#aggregation : planned.aggregation;
      await inner.run({ ...planned, aggregation });
    } finally {
      // Keep the results of an interrupted run too.
      this.answer.adopt(inner.answer, subquery, step, aggregation);
    }
    if (this.#isExhaustive && isBounded(subquery.conditions)) this.#queue.widen(subquery);
    return { status: 'done', ...summaryOf(inner.answer.best(aggregation)) };
  }
}

function summaryOf(found: readonly Scored[]): Pick<StepResult, 'found' | 'results'> & { found: number } {
  return {
    found: found.length,
    results: found.map(({ memory, score }) => ({ memoryId: memory.id, score })),
  };
}
