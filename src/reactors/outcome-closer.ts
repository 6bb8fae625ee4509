import { inTenant, type CommandContext, type CommandServices } from '../commands/context.ts';
import { observeSignal } from '../commands/outcomes/observe-signal.ts';
import { signalsOf } from '../commands/outcomes/search-signals.ts';
import { closingSignal } from '../domain/learning/outcome.ts';
import type { RetrievalEvent } from '../domain/retrieval/events.ts';
import { retrievalStream } from '../domain/streams.ts';
import type { EventProcessor, Term } from '../follow/processor.ts';
import type { DecisionRow } from '../read-models/decisions.ts';
import { pause } from '../support/pause.ts';
import type { WakeUp } from '../support/wake-up.ts';
import { closedBy } from './outcome-reactor.ts';

/** Reads of the searches whose outcome is not known yet. Searches in `except` are left out. */
export interface DueReads {
  /** Searches to be closed at a time, when the read model has applied the log up to `minPosition`. */
  due(
    at: Date,
    limit: number,
    except: readonly string[],
    minPosition: number,
  ): Promise<readonly DecisionRow[]>;
  /** Position of the last search in the sessions of these searches. */
  lastIn(searches: readonly DecisionRow[]): Promise<number>;
  nextDue(except: readonly string[]): Promise<Date | undefined>;
}

export interface CloserParts {
  readonly services: CommandServices;
  readonly reads: DueReads;
  /** How far the reactor of outcomes is: a later search that refines a due one must be known before that is closed. */
  readonly reactedTo: () => Promise<number>;
  /** Fires when more is known of searches in this process. */
  readonly changed: WakeUp;
  /** Milliseconds since 1970 that never jump while the process runs. */
  readonly now: () => number;
  readonly onFailure: (error: unknown) => void;
}

const atOnce = 40;
const lanes = 4;
/** A search that could not be closed is tried again after this time, and does not keep the others waiting. */
const retryMs = 30_000;
const pollMs = 100;

/** Closes the searches whose session or window has ended without a signal. One process does it at a time. */
export class OutcomeCloser implements EventProcessor {
  readonly name = 'outcome-closer';
  readonly sharing = 'lease';
  readonly #parts: CloserParts;
  readonly #context: CommandContext;
  /** When each search that could not be closed is tried again. */
  readonly #postponed = new Map<string, number>();

  constructor(parts: CloserParts, context: CommandContext) {
    this.#parts = parts;
    this.#context = context;
  }

  async run(term: Term): Promise<void> {
    const { services, reads, changed, now } = this.#parts;
    const { signal } = term;
    term.began();
    while (!signal.aborted) {
      const seen = changed.count;
      const at = now();
      for (const [search, until] of this.#postponed) if (until <= at) this.#postponed.delete(search);
      const except = [...this.#postponed.keys()];
      const head = await services.store.log.head();
      const due = await reads.due(new Date(at), atOnce, except, head);
      if (due.length > 0) await this.#untilReacted(await reads.lastIn(due), signal);
      for (let from = 0; from < due.length && !signal.aborted; from += lanes)
        await Promise.all(due.slice(from, from + lanes).map((row) => this.#close(row)));
      if (due.length > 0) continue;
      const next = (await reads.nextDue(except))?.getTime() ?? Infinity;
      const soonest = Math.min(next, ...this.#postponed.values());
      await changed.afterDue(seen, soonest === Infinity ? undefined : soonest - at, signal);
    }
  }

  async #untilReacted(position: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.#parts.reactedTo()) < position) await pause(pollMs, signal);
  }

  async #close(row: DecisionRow): Promise<void> {
    const { services, now, onFailure } = this.#parts;
    const { tenant, search } = row;
    try {
      const inContext = row.in_context ? await this.#inContext(row) : [];
      const context = { ...inTenant(this.#context, tenant), causationId: row.cause };
      const signals = await signalsOf(services.store, tenant, search);
      const closing = closingSignal(signals, { inContext, isObservable: true, by: closedBy(row) });
      // It was closed, but the event could not be applied to its row.
      if (!closing) return void this.#postponed.set(search, now() + retryMs);
      await observeSignal(services, context, { search, searchId: row.search_id }, (known) =>
        known.some(({ source }) => source === closing.source) ? undefined : closing,
      );
    } catch (error) {
      onFailure(error);
      this.#postponed.set(search, now() + retryMs);
    }
  }

  async #inContext({ tenant, search }: DecisionRow): Promise<string[]> {
    const events = await this.#parts.services.store.load<RetrievalEvent>(retrievalStream(tenant, search));
    return events.flatMap(({ event }) =>
      event.type === 'ContextAssembled' ? event.data.items.map(({ memoryId }) => memoryId) : [],
    );
  }
}
