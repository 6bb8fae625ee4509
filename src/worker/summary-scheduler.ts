import type { CommandContext } from '../commands/context.ts';
import { readSummarySettings } from '../commands/summaries/configure-summaries.ts';
import type { EventProcessor, Term } from '../processors/processor.ts';
import type { WakeUp } from '../support/wake-up.ts';
import { generateSummary, type GeneratorParts } from './summary-generator.ts';
import type { ScheduleRow, SummaryScheduleTable } from './summary-schedule-table.ts';

export interface SchedulerParts extends GeneratorParts {
  readonly table: SummaryScheduleTable;
  /** Fires when the schedule was changed in this process. */
  readonly changed: WakeUp;
  readonly onFailure: (error: unknown) => void;
}

const atOnce = 20;
/** Changes of the schedule by another process are noticed within this time. */
const longestPauseMs = 30_000;
/** A scope whose summaries could not be made is tried again after this time. */
const retryMs = 30_000;

/** Makes the summaries that are due, of the most general layers first. One process does it at a time. */
export class SummaryScheduler implements EventProcessor {
  readonly name = 'summary-scheduler';
  readonly sharing = 'lease';
  readonly #parts: SchedulerParts;
  readonly #context: CommandContext;
  readonly #retryAt = new Map<string, number>();

  constructor(parts: SchedulerParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async run(term: Term): Promise<void> {
    const { table, changed, services } = this.#parts;
    const { signal } = term;
    term.began();
    while (!signal.aborted) {
      const seen = changed.count;
      const now = services.clock.now();
      const due = (await table.due(now, atOnce)).filter((row) => this.#isOutOfPause(row));
      for (const row of due) {
        if (signal.aborted) return;
        await this.#generate(row);
      }
      if (due.length > 0) continue;
      const next = await table.nextDue();
      const pauseMs = next && next > now ? next.getTime() - now.getTime() : longestPauseMs;
      await changed.after(seen, Math.min(pauseMs, longestPauseMs), signal);
    }
  }

  async #generate(row: ScheduleRow): Promise<void> {
    const { table, services, onFailure } = this.#parts;
    const { tenant, layer, scope, state, due, cause } = row;
    const context = {
      ...this.#context,
      caller: { ...this.#context.caller, tenant },
      causationId: cause,
    };
    try {
      const { depths, skipIfUnchanged } = (await readSummarySettings(services.store, tenant))[layer];
      const outcome = await generateSummary(this.#parts, context, {
        summarized: { layer, scope },
        depths,
        trigger: due!.trigger,
        position: state.position,
        skipIfUnchanged,
      });
      await table.done(row, { unchanged: outcome === 'unchanged' });
      this.#retryAt.delete(keyOf(row));
    } catch (error) {
      this.#retryAt.set(keyOf(row), performance.now() + retryMs);
      onFailure(error);
    }
  }

  /** One scope that fails must not keep the others waiting. */
  #isOutOfPause(row: ScheduleRow): boolean {
    return (this.#retryAt.get(keyOf(row)) ?? 0) <= performance.now();
  }
}

const keyOf = ({ tenant, summary }: ScheduleRow): string => `${tenant}/${summary}`;
