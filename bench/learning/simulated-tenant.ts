import {
  chooserOf,
  compare,
  evidenceFor,
  hasExplicitOutcome,
  type Evaluation,
} from '../../src/domain/learning/estimators.ts';
import {
  chosenShares,
  drawArm,
  isForEvaluation,
  mixExploration,
  planExploration,
  uniformOf,
} from '../../src/domain/learning/exploration.ts';
import { shipped } from '../../src/domain/learning/global-base.ts';
import type { LoggedDecision } from '../../src/domain/learning/logged-decision.ts';
import { evidenceForLook } from '../../src/domain/learning/looks.ts';
import type { RoutePolicyEvent } from '../../src/domain/learning/policy-events.ts';
import { afterLook, learnFrom, promoteToAll, rollBack } from '../../src/domain/learning/policy-decider.ts';
import {
  candidateOf,
  emptyHistory,
  evolve,
  type PolicyHistory,
} from '../../src/domain/learning/policy-history.ts';
import { canaryShare, decidePromotion, watchLive } from '../../src/domain/learning/promotion.ts';
import { greedyArm, type Features, type RoutePolicy } from '../../src/domain/learning/route-policy.ts';
import { isTrainable, leastDecisions } from '../../src/domain/learning/trainer.ts';
import { routes } from '../../src/domain/routing/settings.ts';
import type { Question } from './world.ts';

/** A policy with all traffic is compared with its predecessor after so many decisions each. */
const watchedEvery = 50;

/**
 * One tenant's whole loop with a single principal: decide, observe, train on 20, look, canary, promote, watch. It uses the functions
 * that the server does, with a log in memory, and estimates only when a look is due.
 */
export class SimulatedTenant {
  readonly #threshold: number;
  readonly #seed: number;
  readonly log: LoggedDecision[] = [];
  history: PolicyHistory = emptyHistory;
  /** Verdicts of looks that would put their candidate into traffic. */
  readonly accepted: RoutePolicy[] = [];
  /** Verdicts count, and change nothing. */
  readonly #isDry: boolean;
  #waiting: LoggedDecision[] = [];
  /** Matched deviations of the present candidate; undefined if they must be counted anew. */
  #matched: number | undefined;
  #explore: (features: Features) => number;
  #candidate: RoutePolicy;

  constructor(seed: number, threshold: number, { isDry = false } = {}) {
    this.#seed = seed;
    this.#threshold = threshold;
    this.#isDry = isDry;
    this.#candidate = candidateOf(this.history, shipped);
    this.#explore = this.#planned();
  }

  ask({ features: asked, serves }: Question): void {
    const features = { ...asked, threshold: this.#threshold };
    const { incumbent, canary } = this.history;
    const id = `${this.#seed}-${String(this.log.length).padStart(6, '0')}`;
    const chosen = greedyArm(incumbent, features, routes);
    const other = canary && greedyArm(canary, features, routes);
    const shares = chosenShares(routes, chosen, other, canaryShare);
    const propensities = mixExploration(shares, this.#explore(features));
    const taken = drawArm(routes, propensities, uniformOf('route', id));
    const decision: LoggedDecision = {
      searchId: id,
      principal: 'agent',
      features,
      arms: routes,
      propensities,
      incumbent: chosen,
      taken,
      policyVersion: incumbent.version,
      evaluation: isForEvaluation(id),
      outcome: { kind: serves[taken] ? 'used' : 'refined', explicit: true },
      tokens: taken === 'decomposition' ? 156 : 20,
      bootstrap: false,
    };
    this.log.push(decision);
    this.#train(decision);
    if (!this.#watch()) this.#look(decision);
  }

  /** What the evidence says about the present candidate. */
  evaluate(): Evaluation {
    const since = this.log.slice(this.history.since);
    return compare(
      evidenceFor(this.#candidate, since),
      chooserOf(this.#candidate),
      chooserOf(this.history.incumbent),
    );
  }

  get candidate(): RoutePolicy {
    return this.#candidate;
  }

  #train(decision: LoggedDecision): void {
    if (isTrainable(decision)) this.#waiting.push(decision);
    if (this.#waiting.length < leastDecisions) return;
    const step = learnFrom(this.history, shipped, this.#waiting);
    this.#waiting = [];
    this.#apply(step);
  }

  /** Returns whether traffic has changed. */
  #watch(): boolean {
    const { canary, incumbent, earlier, since } = this.history;
    const [live, before] = canary ? [canary, incumbent] : [incumbent, earlier.at(-1)];
    if (!before || (!canary && (this.log.length - since) % watchedEvery !== 0)) return false;
    const explicit = this.log.slice(since).filter(hasExplicitOutcome);
    const verdict = watchLive(compare(explicit, chooserOf(live), chooserOf(before)), canary !== undefined);
    if (verdict === 'continue') return false;
    const by = 'process';
    const event =
      verdict === 'complete'
        ? promoteToAll(this.history, live, { by, forced: false })[0]
        : rollBack(this.history, live.version, { by, reason: 'worse' });
    this.#apply(event!);
    return true;
  }

  #look(decision: LoggedDecision): void {
    if (this.history.canary) return;
    const [mine, theirs] = [chooserOf(this.#candidate), chooserOf(this.history.incumbent)];
    const isMatched = ({ features, arms, taken }: LoggedDecision) =>
      taken === mine(features, arms) && taken !== theirs(features, arms);
    const added = this.#matched === undefined ? this.log.slice(this.history.since) : [decision];
    this.#matched = (this.#matched ?? 0) + evidenceFor(this.#candidate, added).filter(isMatched).length;
    if (this.#matched < evidenceForLook(this.history.looks)) return;
    const evaluation = this.evaluate();
    const decided = decidePromotion(evaluation, this.history.looks);
    if (decided.verdict === 'promote') this.accepted.push(this.#candidate);
    const verdict = this.#isDry ? 'keep-collecting' : decided.verdict;
    const event = afterLook(this.history, this.#candidate, evaluation, { ...decided, verdict });
    if (event) this.#apply(event);
  }

  #apply(event: RoutePolicyEvent): void {
    const revision = this.history.revision + 1;
    this.history = evolve(this.history, { event, revision, position: this.log.length, time: new Date(0) });
    this.#candidate = candidateOf(this.history, shipped);
    this.#matched = undefined;
    this.#explore = this.#planned();
  }

  #planned(): (features: Features) => number {
    const { incumbent, trainer } = this.history;
    return planExploration({
      threshold: this.#threshold,
      incumbent,
      candidate: this.#candidate,
      decisions: trainer.decisions,
    });
  }
}
