import { inTenant, type CommandContext } from '../commands/context.ts';
import { readSummarySettings } from '../commands/summaries/configure-summaries.ts';
import { layers } from '../domain/layers.ts';
import { groupBy } from '../domain/group-by.ts';
import type { EventProcessor, Term } from '../follow/processor.ts';
import type { WakeUp } from '../support/wake-up.ts';
import { generateSummaries, type GeneratorParts } from './summary-generator.ts';
import type { ScheduleRow } from '../read-models/summary-schedule.ts';
import type { SummaryClaims } from './summary-claims.ts';

export interface SchedulerParts extends GeneratorParts {
  readonly claims: SummaryClaims;
  /** Fires when more is known of the schedule in this process. */
  readonly changed: WakeUp;
  /** A scope's summaries are made once in this time. */
  readonly windowMs: number;
  readonly onFailure: (error: unknown) => void;
}

const atOnce = 20;
/** Claims are renewed while summaries are made. What a process that was killed had claimed is made by another after this time. */
const claimMs = 120_000;
const renewalMs = claimMs / 3;
/** A scope whose summaries could not be made is tried again after this time, and does not keep the others waiting. */
const retryMs = 30_000;

/** Makes the summaries that are due, of the most general layers first. All processes share the work by claims. */
export class SummaryScheduler implements EventProcessor {
  readonly name = 'summary-scheduler';
  readonly sharing = 'group';
  readonly #parts: SchedulerParts;
  readonly #context: CommandContext;
  /** What this process has claimed and not dealt with yet. */
  readonly #claimed = new Set<ScheduleRow>();

  constructor(parts: SchedulerParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async run(term: Term): Promise<void> {
    const { claims } = this.#parts;
    const renew = () => claims.renew([...this.#claimed], claimMs).catch(() => undefined);
    const renewal = setInterval(() => void renew(), renewalMs);
    try {
      term.began();
      await this.#repeat(term.signal);
    } finally {
      clearInterval(renewal);
      this.#claimed.clear();
    }
  }

  async #repeat(signal: AbortSignal): Promise<void> {
    const { claims, changed, services } = this.#parts;
    while (!signal.aborted) {
      const seen = changed.count;
      const now = services.clock.now();
      const claimed = await this.#claim(now);
      for (const rows of groupBy(claimed, ({ tenant }) => tenant).values()) {
        const together = signal.aborted ? rows : [...rows, ...(await this.#riders(rows, now))];
        await this.#generate(together.sort(byGenerality), signal);
      }
      if (claimed.length > 0) continue;
      const next = await claims.nextDue();
      await changed.afterDue(seen, next && next.getTime() - now.getTime(), signal);
    }
  }

  async #claim(by: Date, tenant?: string): Promise<ScheduleRow[]> {
    const rows = await this.#parts.claims.claim(by, {
      limit: atOnce,
      claimMs,
      ...(tenant !== undefined && { tenant }),
    });
    for (const row of rows) this.#claimed.add(row);
    return rows;
  }

  /**
   * Scopes of the same tenant that are due soon: a language model writes their summaries in the same call. A scope whose last summaries
   * are younger than a window waits, so that it has new ones once in a window.
   */
  async #riders(rows: readonly ScheduleRow[], now: Date): Promise<ScheduleRow[]> {
    const { writer, windowMs } = this.#parts;
    if (!writer) return [];
    const { tenant } = rows[0]!;
    const soon = await this.#claim(new Date(now.getTime() + windowMs), tenant);
    const isOld = ({ state: { generatedAt } }: ScheduleRow) =>
      !generatedAt || now.getTime() - generatedAt.getTime() >= windowMs;
    const [old, young] = [soon.filter(isOld), soon.filter((row) => !isOld(row))];
    await this.#release(young, 0);
    return old;
  }

  /** Makes the summaries of scopes of one tenant. */
  async #generate(rows: readonly ScheduleRow[], signal: AbortSignal): Promise<void> {
    const { claims, services, onFailure } = this.#parts;
    if (signal.aborted) return this.#release(rows, 0);
    try {
      const settings = await readSummarySettings(services.store, rows[0]!.tenant);
      const generations = rows.map(({ tenant, layer, scope, state, due, cause }) => ({
        context: { ...inTenant(this.#context, tenant), causationId: cause },
        summarized: { layer, scope },
        depths: settings[layer].depths,
        trigger: due!.trigger,
        position: state.position,
        skipIfUnchanged: settings[layer].skipIfUnchanged,
      }));
      const outcomes = await generateSummaries(this.#parts, generations, signal);
      for (const [index, row] of rows.entries()) {
        const outcome = outcomes[index]!;
        this.#claimed.delete(row);
        if (typeof outcome === 'object') {
          onFailure(outcome.error);
          await claims.release(row, signal.aborted ? 0 : retryMs);
        } else await claims.done(row);
      }
    } catch (error) {
      if (!signal.aborted) onFailure(error);
      await this.#release(rows, signal.aborted ? 0 : retryMs);
    }
  }

  async #release(rows: readonly ScheduleRow[], pauseMs: number): Promise<void> {
    for (const row of rows) {
      this.#claimed.delete(row);
      await this.#parts.claims.release(row, pauseMs);
    }
  }
}

const byGenerality = (left: ScheduleRow, right: ScheduleRow): number =>
  layers.indexOf(right.layer) - layers.indexOf(left.layer);
