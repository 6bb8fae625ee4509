import { setTimeout as sleep } from 'node:timers/promises';
import { ZodError } from 'zod';
import { Problem } from '../domain/problems.ts';
import { abridged } from '../domain/retrieval/abridged.ts';
import type { FeedbackEvent, RetrievalEvent } from '../domain/retrieval/events.ts';
import { retrievalStream } from '../domain/streams.ts';
import { atPlace } from '../support/tracing.ts';
import { callerKey, eventContext, type CommandContext, type CommandServices } from './context.ts';

/** What one answer returned to its caller; recorded after the answer. */
export interface RetrievalFact {
  /** Names the stream: the id of the search. */
  readonly id: string;
  readonly events: readonly Exclude<RetrievalEvent, FeedbackEvent>[];
  readonly context: CommandContext;
  /** True if other events of the same stream were recorded before. */
  readonly follows?: boolean;
}

export interface FactQueueOptions {
  readonly onDropped: (count: number, error: unknown) => void;
}

const flushMs = 200;
const maxWaiting = 10_000;
const maxAttempts = 12;
const maxPauseMs = 1_000;

/**
 * Appends searches and accesses to the log outside of the request, in groups, `flushMs` after the first of a group. If the
 * process is killed, the waiting facts are lost, and nothing else; a clean stop drains the queue.
 */
export class FactQueue {
  readonly #services: CommandServices;
  readonly #options: FactQueueOptions;
  #waiting: RetrievalFact[] = [];
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;

  constructor(services: CommandServices, options: FactQueueOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** Number of facts that are not written yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Number of events dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  record(fact: RetrievalFact): void {
    if (this.#waiting.length >= maxWaiting) {
      this.#drop(fact.events.length, new Error('the queue of retrieval facts is full'));
      return;
    }
    this.#waiting.push(fact);
    this.#timer ??= setTimeout(() => void this.flush(), flushMs);
  }

  /** Resolves when every fact recorded so far is in the log or was reported as dropped. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#flushing) await this.#flushing;
    if (this.#waiting.length === 0) return;
    this.#flushing = this.#write(this.#waiting.splice(0));
    await this.#flushing;
    this.#flushing = undefined;
  }

  async #write(facts: readonly RetrievalFact[]): Promise<void> {
    await Promise.all(facts.map((fact) => atPlace(fact.context, () => this.#append(fact))));
  }

  async #append({ id, events, context, follows = false }: RetrievalFact): Promise<void> {
    const { store, vault } = this.#services;
    const key = callerKey(vault, context.caller);
    const stream = retrievalStream(context.caller.tenant, id);
    let written = events;
    for (let attempt = 1; ; attempt++) {
      try {
        // An earlier attempt may have been written although its reply was lost, or may still be under way.
        const before = attempt === 1 && !follows ? [] : await store.load<RetrievalEvent>(stream);
        if (before.some(({ event }) => event.type === written[0]!.type)) return;
        const last = before.at(-1)?.revision ?? 'noStream';
        await store.append(stream, last, written, eventContext(context, key));
        return;
      } catch (error) {
        // Retrying would not help.
        const isRefused =
          error instanceof ZodError ||
          // Each event may be as large as the log allows, but not all of them together.
          error instanceof RangeError ||
          (error instanceof Problem && error.code === 'content-too-large');
        if (isRefused && written === events) {
          // Most likely too large for the log.
          written = events.map(abridged);
          continue;
        }
        if (isRefused || attempt >= maxAttempts) {
          this.#drop(events.length, error);
          return;
        }
        await sleep(Math.min(100 * 2 ** attempt, maxPauseMs));
      }
    }
  }

  #drop(count: number, error: unknown): void {
    this.#dropped += count;
    this.#options.onDropped(count, error);
  }
}
