import { systemTenant } from '../../domain/access/context.ts';
import { compareVersion, type VersionComparison } from '../../domain/learning/compare-version.ts';
import { chooserOf, compare, evidenceFor, hasExplicitOutcome } from '../../domain/learning/estimators.ts';
import { baseOf, stepsOfBase, type TenantDecision } from '../../domain/learning/global-base.ts';
import type { LoggedDecision } from '../../domain/learning/logged-decision.ts';
import type { DatedDecision } from '../../domain/learning/observed-figures.ts';
import type { PolicyUpdate, RoutePolicyEvent } from '../../domain/learning/policy-events.ts';
import {
  afterLook,
  figuresOf,
  learnFrom,
  promoteToAll,
  rollBack,
  stepped,
} from '../../domain/learning/policy-decider.ts';
import { candidateOf, type Base, type PolicyHistory } from '../../domain/learning/policy-history.ts';
import { evidenceForLook } from '../../domain/learning/looks.ts';
import { decidePromotion, watchLive } from '../../domain/learning/promotion.ts';
import type { RoutePolicy } from '../../domain/learning/route-policy.ts';
import { isTrainable, leastDecisions } from '../../domain/learning/trainer.ts';
import { routePolicyStream } from '../../domain/streams.ts';
import { WrongExpectedRevision, type StreamName } from '../../ports/event-log.ts';
import { eventContext, inTenant, type CommandContext, type CommandServices } from '../context.ts';

/** Steps that are made at once. */
const stepsAtOnce = 100;
/** Steps in one append. A step with many principals has up to 25 kB, and KurrentDB takes 1 MiB. */
const stepsInAppend = 20;
/** A policy with all traffic is compared with its predecessor whenever it has so many more decisions. */
const watchedEvery = 50;
/** Decisions of one tenant that a round of the global base reads. */
const maxOfTenant = 200;

/** Decisions of searches whose outcome is known, in the order of the log. */
export interface FinishedDecisions {
  /** The oldest that the tenant's policy can learn from and has not yet. */
  finished(tenant: string, limit: number): Promise<readonly LoggedDecision[]>;
  /** The latest of searches after a position. */
  since(tenant: string, after: number): Promise<readonly DatedDecision[]>;
  /** The oldest that the global base can learn from and has not yet, at most `maxOfTenant` of each tenant. */
  forBase(maxOfTenant: number): Promise<readonly TenantDecision[]>;
  /** The position up to which it knows what policies have learned from; -1 if events of `stream` could not be applied. */
  handledOf(stream: StreamName): Promise<number>;
}

export interface PolicyLearningDependencies {
  readonly services: Pick<CommandServices, 'store'>;
  readonly decisions: FinishedDecisions;
  /** The read model of policies, at `minPosition` or later. */
  readonly historyOf: (tenant: string, minPosition?: number) => Promise<PolicyHistory>;
  readonly onStep?: (step: PolicyUpdate) => void;
}

/**
 * Trains, promotes and watches the route policies of tenants.
 *
 * A step is appended at the exact revision of the stream that its state was read at, and only after the table of decisions has handled
 * all earlier steps, so that no decision is learned from twice: not by two processes, and not after a crash.
 */
export class PolicyLearning {
  readonly #dependencies: PolicyLearningDependencies;
  readonly #context: CommandContext;
  /** Position of the last event that this process appended for a tenant: what is read is not older. */
  readonly #appended = new Map<string, number>();
  /** How many decisions of each tenant had arrived when the policy in force was last watched, and since which change of traffic. */
  readonly #watched = new Map<string, { readonly since: number; readonly arrived: number }>();
  /** How many decisions of each tenant must have arrived before there can be enough evidence for the candidate of a revision and a base. */
  readonly #nextLook = new Map<string, { readonly of: string; readonly arrived: number }>();

  constructor(dependencies: PolicyLearningDependencies, context: CommandContext) {
    this.#dependencies = dependencies;
    this.#context = context;
  }

  /** Learns from the waiting decisions of a tenant in steps of 20, the oldest first. Resolves with the number learned from. */
  async train(tenant: string): Promise<number> {
    const before = await this.#settled(tenant);
    if (!before) return 0;
    const { decisions } = this.#dependencies;
    const waiting = (await decisions.finished(tenant, stepsAtOnce * leastDecisions)).filter(isTrainable);
    if (waiting.length < leastDecisions) return 0;
    const base = await this.base();
    const steps: PolicyUpdate[] = [];
    let history = before;
    for (let from = 0; from + leastDecisions <= waiting.length; from += leastDecisions) {
      const step = learnFrom(history, base, waiting.slice(from, from + leastDecisions));
      steps.push(step);
      history = stepped(history, step);
    }
    return this.#appendSteps(tenant, before.revision, steps);
  }

  /** Trains the global base, as `train` does, with decisions of all tenants. */
  async trainBase(): Promise<number> {
    const before = await this.#settled(systemTenant);
    if (!before) return 0;
    const waiting = await this.#dependencies.decisions.forBase(maxOfTenant);
    const steps = stepsOfBase(
      before,
      waiting.filter(({ decision }) => isTrainable(decision)),
    );
    return this.#appendSteps(systemTenant, before.revision, steps);
  }

  /** The global base, with all that this process has appended. */
  async base(): Promise<Base> {
    return baseOf(await this.#dependencies.historyOf(systemTenant, this.#appended.get(systemTenant)));
  }

  /** The history of a tenant's policies, with all that this process has appended. */
  historyOf(tenant: string): Promise<PolicyHistory> {
    return this.#dependencies.historyOf(tenant, this.#appended.get(tenant));
  }

  /** The latest decisions of a tenant whose outcome is known. */
  decisions(tenant: string): Promise<readonly DatedDecision[]> {
    return this.#dependencies.decisions.since(tenant, 0);
  }

  /** Takes note of a step that a command has appended. */
  took(tenant: string, step: PolicyUpdate, position: number): void {
    this.#appended.set(tenant, position);
    this.#report([step]);
  }

  /** Compares a version with the one in force, and that one with its predecessor, since traffic last changed. */
  async evaluate(
    tenant: string,
    history: PolicyHistory,
    base: Base,
    policy: RoutePolicy,
  ): Promise<VersionComparison> {
    return compareVersion(
      policy,
      history,
      base,
      await this.#dependencies.decisions.since(tenant, history.since),
    );
  }

  /**
   * Watches what is live, and looks at the evidence for the candidate. Resolves with what has changed, if anything.
   *
   * @param arrived Number of the tenant's finished decisions so far, counted from any moment. They are only read again once there are
   *   enough new ones.
   */
  async judge(tenant: string, arrived: number): Promise<RoutePolicyEvent | undefined> {
    const history = await this.historyOf(tenant);
    const event =
      (await this.#watch(tenant, history, arrived)) ?? (await this.#look(tenant, history, arrived));
    if (!event) return undefined;
    return (await this.#append(tenant, history.revision, [event])) ? event : undefined;
  }

  async #watch(
    tenant: string,
    history: PolicyHistory,
    arrived: number,
  ): Promise<RoutePolicyEvent | undefined> {
    const { canary, incumbent, earlier, since } = history;
    const [live, before] = canary ? [canary, incumbent] : [incumbent, earlier.at(-1)];
    if (!before) return undefined;
    const last = this.#watched.get(tenant);
    if (!canary && last?.since === since && arrived < last.arrived + watchedEvery) return undefined;
    const log = (await this.#dependencies.decisions.since(tenant, since)).filter(hasExplicitOutcome);
    this.#watched.set(tenant, { since, arrived });
    const evaluation = compare(log, chooserOf(live), chooserOf(before));
    const figures = figuresOf(evaluation);
    switch (watchLive(evaluation, canary !== undefined)) {
      case 'continue':
        return undefined;
      case 'complete':
        return promoteToAll(history, live, { by: 'process', forced: false, figures })[0];
      case 'roll-back':
        return rollBack(history, live.version, { by: 'process', reason: 'worse', figures });
    }
  }

  async #look(
    tenant: string,
    history: PolicyHistory,
    arrived: number,
  ): Promise<RoutePolicyEvent | undefined> {
    if (history.canary) return undefined;
    const base = await this.base();
    const candidate = candidateOf(history, base);
    if (candidate.version === history.incumbent.version) return undefined;
    // Learning starts from a rejected base again, but that is not compared again.
    if (candidate.version === history.rejectedBase) return undefined;
    const of = `${history.revision}/${base.version}`;
    const next = this.#nextLook.get(tenant);
    if (next?.of === of && arrived < next.arrived) return undefined;
    const [mine, theirs] = [chooserOf(candidate), chooserOf(history.incumbent)];
    const evidence = evidenceFor(candidate, await this.#dependencies.decisions.since(tenant, history.since));
    // What a look needs, without the estimates.
    const { length: matched } = evidence.filter(
      ({ features, arms, taken }) => taken === mine(features, arms) && taken !== theirs(features, arms),
    );
    const needed = evidenceForLook(history.looks);
    if (matched < needed) {
      this.#nextLook.set(tenant, { of, arrived: arrived + needed - matched });
      return undefined;
    }
    const evaluation = compare(evidence, mine, theirs);
    return afterLook(history, candidate, evaluation, decidePromotion(evaluation, history.looks));
  }

  /** What is known of a tenant, once the table of decisions knows all that was learned from; undefined until then. */
  async #settled(tenant: string): Promise<PolicyHistory | undefined> {
    const history = await this.historyOf(tenant);
    if (!history.lastStep) return history;
    const handled = await this.#dependencies.decisions.handledOf(routePolicyStream(tenant));
    return handled >= history.lastStep.position ? history : undefined;
  }

  /** False if somebody else was faster: what was decided is outdated. */
  async #append(tenant: string, revision: number, events: readonly RoutePolicyEvent[]): Promise<boolean> {
    const { store } = this.#dependencies.services;
    const context = eventContext(inTenant(this.#context, tenant));
    try {
      const expected = revision < 0 ? 'noStream' : revision;
      const { position } = await store.append(routePolicyStream(tenant), expected, [...events], context);
      this.#appended.set(tenant, position);
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return false;
      throw error;
    }
  }

  #report(steps: readonly PolicyUpdate[]): number {
    for (const step of steps) this.#dependencies.onStep?.(step);
    return steps.reduce((sum, { data }) => sum + data.consumed.length, 0);
  }

  /** Appends steps in parts, as long as nobody else is faster. Resolves with the number of decisions learned from. */
  async #appendSteps(tenant: string, revision: number, steps: readonly PolicyUpdate[]): Promise<number> {
    let learnedFrom = 0;
    for (let from = 0; from < steps.length; from += stepsInAppend) {
      const part = steps.slice(from, from + stepsInAppend);
      if (!(await this.#append(tenant, revision + from, part))) break;
      learnedFrom += this.#report(part);
    }
    return learnedFrom;
  }
}
