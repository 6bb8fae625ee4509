import type { CommandContext } from '../commands/context.ts';
import type { ErasureEvent, FilesWhen } from '../domain/erasure/events.ts';
import type { EventProcessor, Term } from '../follow/processor.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import { inBackground } from '../support/background.ts';
import { WakeUp } from '../support/wake-up.ts';
import { ErasureSteps, type ErasureStepsParts, type RequestedErasure } from './erasure-steps.ts';

export interface ErasureRunnerParts extends ErasureStepsParts {
  /** How long files may keep the bytes of what was erased, unless the request says that it hurries. */
  readonly filesWithinMs: number;
}

/** An erasure that is not complete. */
interface Open {
  readonly requested: RequestedErasure;
  /** Everything but the files is done. */
  advanced: boolean;
  failures: number;
  notBefore: number;
}

const types = ['ErasureRequested', 'ErasureCompleted'] as const;
const firstRetryMs = 1_000;
const maxRetryMs = 60_000;
/** Rewriting starts this share of the time before it must be done. */
const filesStartAt = 0.75;

/**
 * Carries out erasures, from their event to the signed receipt: counts what each surface holds, erases every stream, waits until all
 * surfaces have forgotten, looks again, and has the files rewritten. Each step can be repeated, so a process that is killed continues at
 * the next start. One process at a time does it.
 */
export class ErasureRunner implements EventProcessor {
  readonly name = 'erasure-receipts';
  readonly sharing = 'lease';
  readonly #parts: ErasureRunnerParts;
  readonly #steps: ErasureSteps;

  constructor(parts: ErasureRunnerParts, context: CommandContext) {
    this.#parts = parts;
    this.#steps = new ErasureSteps(parts, context);
  }

  async run(term: Term): Promise<void> {
    const open = new Map<string, Open>();
    const changed = new WakeUp();
    const following = this.#follow(term, open, changed).catch((error: unknown) => term.fail(error));
    await inBackground(async () => {
      while (!term.signal.aborted) {
        const seen = changed.count;
        const now = Date.now();
        for (const erasure of open.values()) await this.#advance(term, erasure, now);
        await this.#rewriteFiles(term, open, Date.now());
        await changed.after(seen, this.#nextMs(open, Date.now()), term.signal);
      }
    });
    await following;
  }

  /** Keeps `open` as the log says. */
  async #follow(term: Term, open: Map<string, Open>, changed: WakeUp): Promise<void> {
    const { store } = this.#parts.services;
    term.began(0);
    const pages = store.subscribe({ after: 0, filter: { types }, routingOnly: true, signal: term.signal });
    for await (const page of pages) {
      for (const loaded of page.events as readonly LoadedEvent<ErasureEvent>[]) {
        if (loaded.event.type === 'ErasureCompleted') open.delete(loaded.stream);
        else if (loaded.event.type === 'ErasureRequested')
          open.set(loaded.stream, {
            requested: loaded as RequestedErasure,
            advanced: false,
            failures: 0,
            notBefore: 0,
          });
      }
      if (page.events.length > 0) changed.wake();
      term.reached(page.scannedTo);
    }
  }

  async #advance(term: Term, erasure: Open, now: number): Promise<void> {
    if (erasure.advanced || erasure.notBefore > now || term.signal.aborted) return;
    try {
      await this.#steps.clear(erasure.requested, term.signal);
      erasure.advanced = true;
    } catch (error) {
      failed(term, erasure, error);
    }
  }

  /** Has the files rewritten if that is due for one of the erasures, and completes all that wait for it. */
  async #rewriteFiles(term: Term, open: ReadonlyMap<string, Open>, now: number): Promise<void> {
    const { remains } = this.#parts;
    const waiting = [...open.values()].filter((erasure) => erasure.advanced && erasure.notBefore <= now);
    if (!waiting.some((erasure) => this.#filesDueAt(erasure) <= now) || term.signal.aborted) return;
    try {
      for (const one of remains) await one.rewrite();
      for (const { requested } of waiting) await this.#steps.complete(requested);
    } catch (error) {
      for (const erasure of waiting) failed(term, erasure, error);
    }
  }

  #filesDueAt({ requested: { event, time } }: Open): number {
    const when: FilesWhen = event.data.files;
    return when === 'immediately' ? 0 : time.getTime() + filesStartAt * this.#parts.filesWithinMs;
  }

  #nextMs(open: ReadonlyMap<string, Open>, now: number): number {
    const times = [...open.values()].map((erasure) =>
      Math.max(erasure.notBefore, erasure.advanced ? this.#filesDueAt(erasure) : 0),
    );
    return Math.min(2 ** 30, Math.max(50, Math.min(...times, Infinity) - now));
  }
}

/** The erasure is tried again after a while: what is down delays it. */
function failed(term: Term, erasure: Open, error: unknown): void {
  if (term.signal.aborted) return;
  erasure.notBefore = Date.now() + Math.min(firstRetryMs * 2 ** erasure.failures++, maxRetryMs);
  term.report(error);
}
