import { inTenant, type CommandContext, type CommandServices } from '../commands/context.ts';
import { observeSignal } from '../commands/outcomes/observe-signal.ts';
import { signalsOf } from '../commands/outcomes/search-signals.ts';
import { closingSignal, outcomeOf } from '../domain/learning/outcome.ts';
import type { RetrievalEvent } from '../domain/retrieval/events.ts';
import { retrievalStream } from '../domain/streams.ts';
import type { EventProcessor, Term } from '../follow/processor.ts';
import type { WakeUp } from '../support/wake-up.ts';
import type { DecisionRow } from './decision-row.ts';
import type { DecisionTable } from './decision-table.ts';

export interface CloserParts {
  readonly services: CommandServices;
  readonly table: DecisionTable;
  /** Fires when the table was changed in this process. */
  readonly changed: WakeUp;
  /** As in `OutcomeParts`. */
  readonly now: () => number;
  readonly onFailure: (error: unknown) => void;
}

const atOnce = 40;
const lanes = 4;
/** A search that could not be closed is tried again after this time, and does not keep the others waiting. */
const retryMs = 30_000;
const hourMs = 60 * 60 * 1_000;
/** A search is recorded within this time after the end of its session, or closed by its window. */
const keptEndsMs = 24 * hourMs;
/** Policies are trained and judged on decisions of this time. */
const keptDecisionsMs = 365 * 24 * hourMs;

/** Closes the searches whose session or window has ended without a signal. One process does it at a time. */
export class OutcomeCloser implements EventProcessor {
  readonly name = 'outcome-closer';
  readonly sharing = 'lease';
  readonly #parts: CloserParts;
  readonly #context: CommandContext;

  constructor(parts: CloserParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async run(term: Term): Promise<void> {
    const { table, changed, now } = this.#parts;
    const { signal } = term;
    term.began();
    let forgetAt = now();
    while (!signal.aborted) {
      const seen = changed.count;
      const at = now();
      const due = await table.due(new Date(at), atOnce);
      for (let from = 0; from < due.length && !signal.aborted; from += lanes)
        await Promise.all(due.slice(from, from + lanes).map((row) => this.#close(row)));
      if (due.length > 0) continue;
      if (at >= forgetAt) {
        await table.forget({
          endsBefore: new Date(at - keptEndsMs),
          decisionsBefore: new Date(at - keptDecisionsMs),
        });
        forgetAt = at + hourMs;
      }
      const next = await table.nextDue();
      await changed.afterDue(seen, next && next.getTime() - at, signal);
    }
  }

  async #close(row: DecisionRow): Promise<void> {
    const { services, table, now, onFailure } = this.#parts;
    try {
      // An outcome whose search was never recorded.
      if (row.position === 0) return await table.close(row, undefined);
      const inContext = row.inContext ? await this.#inContext(row) : [];
      const context = { ...inTenant(this.#context, row.tenant), causationId: row.cause };
      const signals = await signalsOf(services.store, row.tenant, row.search);
      const closing = closingSignal(signals, { inContext, isObservable: true, by: row.closedBy });
      if (closing)
        await observeSignal(services, context, row, (known) =>
          known.some(({ source }) => source === closing.source) ? undefined : closing,
        );
      await table.close(row, outcomeOf(closing ? [...signals, closing] : signals));
    } catch (error) {
      onFailure(error);
      await table.postpone(row, new Date(now() + retryMs));
    }
  }

  async #inContext({ tenant, search }: DecisionRow): Promise<string[]> {
    const events = await this.#parts.services.store.load<RetrievalEvent>(retrievalStream(tenant, search));
    return events.flatMap(({ event }) =>
      event.type === 'ContextAssembled' ? event.data.items.map(({ memoryId }) => memoryId) : [],
    );
  }
}
