import { setTimeout as sleep } from 'node:timers/promises';
import { ZodError } from 'zod';
import { Problem } from '../domain/problems.ts';
import { abridged } from '../domain/retrieval/abridged.ts';
import type { RetrievalEvent } from '../domain/retrieval/events.ts';
import { retrievalStream } from '../domain/streams.ts';
import { callerKey, eventContext, type CommandContext, type CommandServices } from './context.ts';

/** What one answer told its caller, to be written down after the answer. */
export interface RetrievalFact {
  /** Names the stream: a search's own id. */
  readonly id: string;
  readonly events: readonly Exclude<RetrievalEvent, { type: 'FeedbackGiven' }>[];
  readonly context: CommandContext;
  /** Others of the same stream were recorded before. */
  readonly follows?: boolean;
}

export interface FactQueueOptions {
  readonly onDropped: (count: number, error: unknown) => void;
}

const flushMs = 200;
const maxWaiting = 10_000;
const maxAttempts = 12;
const longestPauseMs = 1_000;

/**
 * Writes searches and accesses to the log off the request path, in groups, each `flushMs` after its first. What waits here
 * when the process is killed is lost, and that alone: a clean stop drains it.
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

  /** Answers that are still to be written down. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Events that were given up, since the start. */
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

  /** Resolves when everything recorded so far is in the log or was reported as dropped. */
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
    await Promise.all(facts.map((fact) => this.#append(fact)));
  }

  async #append({ id, events, context, follows = false }: RetrievalFact): Promise<void> {
    const { store, vault } = this.#services;
    const key = callerKey(vault, context.caller);
    const stream = retrievalStream(context.caller.tenant, id);
    let written = events;
    for (let attempt = 1; ; attempt++) {
      try {
        // An earlier attempt may have been written although its answer was lost, or be on its way still.
        const before = attempt === 1 && !follows ? [] : await store.load<RetrievalEvent>(stream);
        if (before.some(({ event }) => event.type === written[0]!.type)) return;
        const last = before.at(-1)?.revision ?? 'noStream';
        await store.append(stream, last, written, eventContext(context, key));
        return;
      } catch (error) {
        // No further try would change it.
        const isRefused =
          error instanceof ZodError ||
          // Each alone may be as large as the log takes, and all of them together not.
          error instanceof RangeError ||
          (error instanceof Problem && error.code === 'validation-failed');
        if (isRefused && written === events) {
          // Most likely larger than the log takes.
          written = events.map(abridged);
          continue;
        }
        if (isRefused || attempt >= maxAttempts) {
          this.#drop(events.length, error);
          return;
        }
        await sleep(Math.min(100 * 2 ** attempt, longestPauseMs));
      }
    }
  }

  #drop(count: number, error: unknown): void {
    this.#dropped += count;
    this.#options.onDropped(count, error);
  }
}
