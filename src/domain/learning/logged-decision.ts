import type { Route } from '../routing/settings.ts';

/** The routes that the policy chooses between. */
export type Arm = Route;

/** How a search ended. */
export const outcomeKinds = ['used', 'refined', 'ignored', 'none'] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

export interface Outcome {
  readonly kind: OutcomeKind;
  /** How good the used results were, 0 to 1; only of `used`. */
  readonly quality?: number | undefined;
  /** A caller reported it as an outcome or feedback. Outcomes inferred from contexts, sessions and windows are not explicit. */
  readonly explicit: boolean;
}

/** The choice of a route for one search. */
export interface RouteDecision {
  /** Inputs of the choice, by name: the signals of the question, its complexity score and the threshold in force. */
  readonly features: Readonly<Record<string, number>>;
  /** The routes that were possible. With only one there was no choice, and nothing is learned. */
  readonly arms: readonly Arm[];
  /** Probability of each arm after exploration was mixed in, in the order of `arms`; they add up to 1. */
  readonly propensities: readonly number[];
  /** What the policy in force chooses without exploration. */
  readonly incumbent: Arm;
  readonly policyVersion: string;
  /** The session is in the share that candidates are evaluated on and never learn from. */
  readonly evaluation: boolean;
}

/** A decision with its outcome. Policies are trained and evaluated on such records. */
export interface LoggedDecision extends RouteDecision {
  readonly searchId: string;
  /** Pseudonym of the principal, whose weight in a policy is limited. */
  readonly principal: string;
  /** The arm that was taken. */
  readonly taken: Arm;
  readonly outcome: Outcome;
  /** Tokens spent on the answer by language models and search texts. */
  readonly tokens: number;
  /** A synthetic decision of a cold start. It is trained on, but never evidence. */
  readonly bootstrap: boolean;
}

/** What a tenant's decisions amount to. */
export interface DecisionCounts {
  readonly tenant: string;
  readonly finished: number;
  /** Those that the tenant's policy, and the global base, can learn from and have not yet. */
  readonly waiting: number;
  readonly waitingForBase: number;
}
