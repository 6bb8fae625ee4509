import { signalNames, type Complexity } from '../routing/complexity.ts';
import {
  forcedReason,
  isInShare,
  routes,
  type RouteReason,
  type RoutingCircumstances,
} from '../routing/settings.ts';
import {
  chosenShares,
  drawArm,
  isForEvaluation,
  mixExploration,
  planExploration,
  uniformOf,
} from './exploration.ts';
import type { Arm, RouteDecision } from './logged-decision.ts';
import { greedyArm, type Features, type RoutePolicy } from './route-policy.ts';

/** The policies that choose a tenant's routes. The same object as long as nothing has changed, so that results can be cached by it. */
export interface PoliciesInForce {
  readonly incumbent: RoutePolicy;
  /** The learned policy that is not in force yet, or the one that learning starts from. */
  readonly candidate: RoutePolicy;
  /** Share of the questions that the candidate decides, 0 to 1. */
  readonly canary: number;
  /** Number of the tenant's decisions that were learned from. */
  readonly decisions: number;
}

export interface ChoiceCircumstances extends RoutingCircumstances {
  readonly complexity: Complexity;
  readonly policies: PoliciesInForce;
  /** Id of the search without its signature; it seeds the draw. */
  readonly id: string;
  /** Keyed hash of the session; undefined without one. */
  readonly session: string | undefined;
  /** The outcome of this search can be observed: it has a session, or its principal has posted an outcome before. */
  readonly isObservable: boolean;
}

export interface RouteChoice extends RouteDecision {
  readonly taken: Arm;
  readonly reason: RouteReason;
}

/**
 * The route of a question, with everything that learning needs to know about the choice. There is no choice if the configuration, the
 * tenant or the caller forces a route. Otherwise the policy chooses, and some questions whose outcome can be observed take another route.
 */
export function chooseRoute(circumstances: ChoiceCircumstances): RouteChoice {
  const { policies, settings, complexity, tenant, question, id, session, isObservable } = circumstances;
  const features = {
    score: complexity.score,
    threshold: settings.threshold,
    ...Object.fromEntries(signalNames.map((name) => [name, complexity.signals[name]])),
  };
  const common = {
    features,
    policyVersion: policies.incumbent.version,
    evaluation: isForEvaluation(session ?? id),
  };
  const only = (taken: Arm, reason: RouteReason): RouteChoice => ({
    ...common,
    arms: [taken],
    propensities: [1],
    incumbent: taken,
    taken,
    reason,
  });
  const forced = forcedReason(circumstances);
  if (forced) return only('standard', forced);
  const incumbent = greedyArm(policies.incumbent, features, routes);
  const unexplored = reasonOf(incumbent, complexity.score >= settings.threshold);
  if (!isInShare(tenant, question, settings.share))
    return only('standard', incumbent === 'standard' ? unexplored : 'not-in-share');
  if (settings.shadow) return only('standard', incumbent === 'standard' ? unexplored : 'shadow');
  if (!settings.exploration || !isObservable) return only(incumbent, unexplored);
  const { candidate, canary } = policies;
  const shares = chosenShares(routes, incumbent, greedyArm(candidate, features, routes), canary);
  const propensities = mixExploration(shares, explorationOf(policies, settings.threshold)(features));
  const taken = drawArm(routes, propensities, uniformOf('route', id));
  const reason = taken === incumbent ? unexplored : 'explored';
  return { ...common, arms: [...routes], propensities, incumbent, taken, reason };
}

/** Why a policy chooses an arm. If it agrees with the rule, the reason is the rule's. */
function reasonOf(arm: Arm, isComplex: boolean): RouteReason {
  if ((arm === 'decomposition') !== isComplex) return 'learned';
  return isComplex ? 'complex' : 'below-threshold';
}

type Exploration = (features: Features) => number;

/** The exploration for policies under the last threshold that was asked for. */
const explorations = new WeakMap<PoliciesInForce, { readonly threshold: number; readonly of: Exploration }>();

/** Planned once per policies and threshold, because planning runs over all typical questions. */
function explorationOf(policies: PoliciesInForce, threshold: number): Exploration {
  const known = explorations.get(policies);
  if (known?.threshold === threshold) return known.of;
  const { incumbent, candidate, decisions } = policies;
  const of = planExploration({ threshold, incumbent, candidate, decisions });
  explorations.set(policies, { threshold, of });
  return of;
}
