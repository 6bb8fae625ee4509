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
import { Agenda } from './agenda.ts';
import { BudgetExhausted, type Budget } from './budget.ts';
import type { ExecutorParts } from './executor-parts.ts';
import { isNarrow, type Narrowing } from './narrowing.ts';
import { PartSearches } from './part-searches.ts';
import { actionsFor, partsOf, type Part } from './parts.ts';
import { answering, isIn, Pool, resembling } from './pool.ts';
import type { StepOutcome, Trail } from './trail.ts';

/** Of a place of which there are many, so many are searched one by one; where the search is exhaustive, so many more. */
const fanOut = { few: 3, many: 10 } as const;
/** So many of the best matches are read for what they name. */
const naming = 4;
const dayMs = 24 * 60 * 60 * 1000;

export interface ExplorationSetting extends ExecutorParts {
  readonly caller: TenantContext;
  readonly request: SearchRequest;
  readonly view: ReadView;
  /** From this score on a part is a complex question itself. */
  readonly threshold: number;
  /** The tenant lets a language model propose plans. */
  readonly mayAskModel: boolean;
  readonly budget: Budget;
  readonly trail: Trail;
  /** Undefined where it is switched off. */
  readonly reflection: Reflection | undefined;
}

/** Where a question stands among those that it was made of. */
interface Place {
  readonly question: string;
  readonly base: Narrowing;
  readonly depth: number;
  readonly parent: number | undefined;
}

interface Result {
  readonly finding: Finding;
  readonly citations: Trajectory['citations'];
  readonly warnings: ReadonlySet<string>;
  readonly maxDepth: number;
}

/** The search for the answer to one question, and to the questions it is taken apart into. */
export class Exploration {
  readonly #setting: ExplorationSetting;
  readonly #place: Place;
  readonly #pool = new Pool();
  /** Of the whole tree of questions. */
  readonly #codes: Set<string>;
  readonly #warnings: Map<string, Warning>;
  #agenda: Agenda;
  #searching: PartSearches;
  #isExhaustive = false;
  #aggregation: Aggregation = 'combine';
  readonly #models = new Set<string>();
  #searches = 0;
  #maxDepth: number;
  readonly #sifted = { relevance: false, recency: false };

  constructor(setting: ExplorationSetting, inside?: Exploration, place?: Place) {
    const { request } = setting;
    const { layers, scope, filter } = request;
    this.#setting = setting;
    this.#place = place ?? {
      question: request.query,
      base: { layers, scope, filter },
      depth: 0,
      parent: undefined,
    };
    this.#agenda = new Agenda(this.#place.base, []);
    this.#searching = new PartSearches(setting, this.#agenda, false);
    this.#codes = inside ? inside.#codes : new Set();
    this.#warnings = inside ? inside.#warnings : new Map();
    this.#maxDepth = this.#place.depth;
  }

  /** Whether there is anything to answer with. */
  get found(): boolean {
    return this.#searches > 0;
  }

  /** The whole question's; what answers a part of it is cut when it is known what that is worth to the whole. */
  get #threshold(): number {
    return this.#place.depth === 0 ? this.#setting.request.threshold : 0;
  }

  /** Takes steps until the answer is put together. Throws `BudgetExhausted`, and what a search throws. */
  async answer(plan: Plan): Promise<void> {
    const { threshold, policy, trail, budget, reflection } = this.#setting;
    const { question, base, depth, parent } = this.#place;
    this.#aggregation = plan.aggregation;
    const reasoning =
      reflection && (await budget.within(reflection.about(question, plan, { depth, step: parent })));
    const { parts, outside } = partsOf({ question, base, plan, reasoning, threshold });
    this.#isExhaustive = reasoning?.strategy === 'exhaustive';
    this.#agenda = new Agenda(base, parts);
    this.#searching = new PartSearches(this.#setting, this.#agenda, this.#isExhaustive);
    if (outside > 0) this.#codes.add('outside-of-request');
    for (;;) {
      const actions = this.#actions(plan.aggregation);
      const features = this.#features(plan);
      budget.takeStep();
      const choice = policy.choose(features, actions);
      const action = actions[choice.index]!;
      const { step, end } = trail.begin({ depth, parent, features, actions, choice });
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

  /** The best of what was found by now. */
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
        steps: this.#pool.steps(id),
      })),
      warnings: this.#codes,
      maxDepth: this.#maxDepth,
    };
  }

  /** All that can be done now; putting the answer together always, once something was searched. */
  #actions(strategy: Aggregation): Action[] {
    const actions: Action[] = [];
    const { next } = this.#agenda;
    if (next) actions.push(...actionsFor(next.part, next.index));
    if (this.#pool.size > 0) {
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
      pending: this.#agenda.pending.length,
      searches: this.#searches,
      found: this.#pool.size,
      queriesUsed: round(queries),
      stepsUsed: round(steps),
      wallUsed: round(wall),
    };
  }

  async #take(action: Action, step: number): Promise<StepOutcome> {
    switch (action.name) {
      case 'SearchLayer':
        return this.#searchFor(this.#agenda.part(action.operand), step);
      case 'DrillDown':
        return this.#drillDown(action);
      case 'RecursiveCall':
        return this.#recurse(this.#agenda.part(action.operand), step);
      case 'FilterByRecency': {
        this.#sifted.recency = true;
        const oldest = new Date(this.#setting.clock.now().getTime() - action.maxAgeDays * dayMs);
        const young = this.#pool.markOlderThan(oldest);
        return { status: 'done', found: young, ...(young === 0 && { reason: 'none-is-recent' }) };
      }
      case 'FilterByRelevance':
        this.#sifted.relevance = true;
        return { status: 'done', found: this.#pool.dropBelow(action.min) };
      case 'Aggregate':
        return { status: 'done', ...summaryOf(this.#best(action.strategy)) };
      default:
        return action satisfies never;
    }
  }

  async #searchFor(part: Part, step: number): Promise<StepOutcome> {
    part.state = 'done';
    const found = await this.#search(part);
    for (const one of found) this.#add(one, part, [step]);
    if (part.follow === 'scope' && found[0]) this.#agenda.followScope(part, found[0].memory);
    if (part.follow === 'mentions') await this.#followMentions(part, found);
    const met = found.filter(({ memory }) => isIn(memory, part.conditions.scope ?? {})).length;
    if (part.evidence <= answering) return { status: 'done', ...summaryOf(found) };
    const [weaker, ...rest] = part.weaker;
    if (weaker && (met < this.#setting.request.topK || this.#isExhaustive)) {
      // Half of the evidence for the first of the weaker conditions, a third for the second.
      this.#agenda.again(part, { ...part.conditions, filter: weaker }, 1 / (1 / part.evidence + 1), rest);
      return { status: 'done', reason: 'too-few', ...summaryOf(found) };
    }
    if (met > 0) {
      if (this.#isExhaustive) this.#agenda.widen(part);
      return { status: 'done', ...summaryOf(found) };
    }
    // Nobody meets the condition: the part is looked for without it, so that it is never empty for its sake.
    this.#codes.add('condition-unmet');
    this.#agenda.again(part, {}, answering);
    return { status: 'done', reason: 'condition-unmet', ...summaryOf(found) };
  }

  /** What the best matches name is asked for: the parts of one document are one thing, and any of them may name others. */
  async #followMentions(part: Part, found: readonly Scored[]): Promise<void> {
    const { caller, budget, mentions, request } = this.#setting;
    const best = found.slice(0, naming).map(({ memory }) => memory);
    const filter = await budget.within(mentions(caller, best, request));
    if (filter) this.#agenda.again(part, { filter }, 1);
  }

  async #search(part: Part): Promise<readonly Scored[]> {
    const finding = await this.#searching.find(part);
    this.#searches++;
    if (finding.embeddingModel !== undefined) this.#models.add(finding.embeddingModel);
    for (const warning of finding.warnings) this.#warnings.set(warning.detail, warning);
    return finding.best;
  }

  /** Replaces a part that means many places by one for each of them, those first in which the most was found. */
  async #drillDown(action: Extract<Action, { name: 'DrillDown' }>): Promise<StepOutcome> {
    const { caller, view, budget, places } = this.#setting;
    const part = this.#agenda.part(action.operand);
    part.drillTo = undefined;
    const { from, to, filter } = action;
    const { layers, scope, filter: within } = part.narrowing;
    const asked = { from, to, filter, layers, scope, within };
    const { names, named } = await budget.within(places(caller, asked, view));
    const weights = this.#pool.weightByPlace(to);
    const best = [...names].sort((left, right) => (weights.get(right) ?? 0) - (weights.get(left) ?? 0));
    const most = this.#isExhaustive ? fanOut.many : fanOut.few;
    // What the question does not name is no condition of it: other places answer it as well.
    const evidence = named ? 1 : part.evidence;
    const chosen = best.slice(0, most);
    const split = this.#agenda.split(part, to, chosen, evidence);
    if (part.side === undefined) this.#pool.takeAsSides(to, chosen);
    if (split > 0 || !part.maySearch) part.state = 'done';
    if (split === 0) return { status: 'done', reason: 'no-places' };
    return { status: 'done', found: names.length };
  }

  /** Answers a part as a question of its own, one level deeper. */
  async #recurse(part: Part, step: number): Promise<StepOutcome> {
    const { caller, budget, trail, mayAskModel, plan, request: demand } = this.#setting;
    part.mayRecurse = false;
    const depth = this.#place.depth + 1;
    if (depth > budget.limits.depth) return { status: 'rejected', reason: 'depth-limit' };
    part.state = 'done';
    const place = { question: part.query, base: part.narrowing, depth, parent: step };
    const inner = new Exploration(this.#setting, this, place);
    let aggregation: Aggregation = 'combine';
    try {
      const planned = await budget.within(
        plan(part.query, caller, { depth, parent: step, budget, trail, mayAskModel, demand }),
      );
      // The only part is answered in the way that the question asks for, whatever its own words leave of it.
      const isWhole = part.side === undefined && this.#aggregation !== 'combine';
      aggregation = isWhole ? this.#aggregation : planned.aggregation;
      await inner.answer({ ...planned, aggregation });
    } finally {
      // Also where it was interrupted: what it found is found.
      this.#adopt(inner, part, step, aggregation);
    }
    if (this.#isExhaustive && isNarrow(part.conditions)) this.#agenda.widen(part);
    return { status: 'done', ...summaryOf(inner.#best(aggregation)) };
  }

  #adopt(inner: Exploration, part: Part, step: number, aggregation: Aggregation): void {
    this.#searches += inner.#searches;
    this.#maxDepth = Math.max(this.#maxDepth, inner.#maxDepth);
    for (const model of inner.#models) this.#models.add(model);
    for (const one of inner.#best(aggregation)) {
      const { id } = one.memory;
      // The sides of the only part are those of the question.
      const side = part.side ?? inner.#pool.sideOf(id);
      this.#add(one, { ...part, side }, [step, ...inner.#pool.steps(id)]);
    }
  }

  /** A search in a scope finds what lacks its identifiers too: that does not meet the condition. */
  #add(found: Scored, { evidence, conditions, side }: Part, steps: readonly number[]): void {
    const outside = evidence > answering && !isIn(found.memory, conditions.scope ?? {});
    this.#pool.add({ found, evidence: outside ? resembling : evidence, side, steps });
  }

  /** `topK` memories, best first, none below the threshold, without what says the same. */
  #best(strategy: Aggregation): Scored[] {
    const { topK } = this.#setting.request;
    const passing = this.#pool.found().filter(({ score }) => score >= this.#threshold);
    const ranked = aggregate(strategy, passing);
    for (let looked = topK + 10; ; looked *= 2) {
      const some = ranked.slice(0, looked).map((one) => this.#pool.shown(one));
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
