import type { PolicyLearning } from '../commands/policies/policy-learning.ts';
import { leastDecisions } from '../domain/learning/trainer.ts';
import { leastTenants } from '../domain/learning/global-base.ts';
import type { EventProcessor, Term } from '../follow/processor.ts';
import type { DecisionCounts } from '../domain/learning/logged-decision.ts';
import { pause } from '../support/pause.ts';
import type { WakeUp } from '../support/wake-up.ts';

export interface TrainerParts {
  readonly learning: PolicyLearning;
  readonly decisions: { counts(): Promise<DecisionCounts[]> };
  /** Fires when more is known of decisions in this process. */
  readonly changed: WakeUp;
  readonly onFailure: (error: unknown, tenant: string) => void;
}

const shortestPauseMs = 250;
/**
 * A pause is this many times as long as the round before it, so that rounds take a small part of the time. It is limited, so that a
 * round that had to wait does not delay the next one by much.
 */
const pauseFactor = 10;
const mostPauseMs = 3_000;

/** Trains and judges the policies of the tenants that have new decisions. One process does it at a time; two would do no harm. */
export class PolicyTrainer implements EventProcessor {
  readonly name = 'policy-trainer';
  readonly sharing = 'lease';
  readonly #parts: TrainerParts;
  /** Of each tenant, its finished decisions when they were last judged, and how many have arrived; old ones are deleted meanwhile. */
  readonly #judged = new Map<string, { readonly finished: number; readonly arrived: number }>();

  constructor(parts: TrainerParts) {
    this.#parts = parts;
  }

  async run(term: Term): Promise<void> {
    const { changed } = this.#parts;
    const { signal } = term;
    term.began();
    while (!signal.aborted) {
      const seen = changed.count;
      const started = performance.now();
      const isDone = await this.round(signal);
      const pauseMs = pauseFactor * (performance.now() - started);
      await pause(Math.min(Math.max(shortestPauseMs, pauseMs), mostPauseMs), signal);
      if (isDone) await changed.afterDue(seen, undefined, signal);
    }
  }

  /** Resolves with whether nothing is left to do until there are new decisions. */
  async round(signal: AbortSignal): Promise<boolean> {
    const counts = await this.#parts.decisions.counts();
    let isDone = true;
    for (const count of counts) {
      if (signal.aborted) return true;
      if (!(await this.#attempt(count.tenant, () => this.#tenant(count)))) isDone = false;
    }
    const forBase = counts.filter(({ waitingForBase }) => waitingForBase > 0);
    const waiting = forBase.reduce((sum, { waitingForBase }) => sum + waitingForBase, 0);
    if (forBase.length < leastTenants || waiting < leastDecisions) return isDone;
    await this.#attempt('system', async () => (await this.#parts.learning.trainBase()) === 0);
    return isDone;
  }

  async #tenant({ tenant, finished, waiting }: DecisionCounts): Promise<boolean> {
    const { learning } = this.#parts;
    const learnedFrom = waiting >= leastDecisions ? await learning.train(tenant) : 0;
    const before = this.#judged.get(tenant) ?? { finished: 0, arrived: 0 };
    if (before.finished === finished && learnedFrom === 0) return waiting < leastDecisions;
    const arrived = before.arrived + Math.max(0, finished - before.finished);
    const event = await learning.judge(tenant, arrived);
    this.#judged.set(tenant, { finished, arrived });
    return waiting - learnedFrom < leastDecisions && event === undefined;
  }

  /** One tenant that fails must not keep the others waiting. */
  async #attempt(tenant: string, work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      this.#parts.onFailure(error, tenant);
      return true;
    }
  }
}
