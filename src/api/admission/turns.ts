import { FairQueue, type Waiting } from '../../domain/admission/fair-queue.ts';
import type { TurnOptions } from '../../domain/admission/turn-options.ts';
import { Problem } from '../../domain/problems.ts';
import type { Turn } from '../../support/request-scope.ts';

/** From this cost on a request is heavy: it takes several times the work of a plain search. */
const heavyCost = 3;
/** Weight of the latest request in the mean time that a unit of work takes. */
const smoothing = 0.1;
/** Milliseconds that a unit takes before anything was measured. */
const firstUnitMs = 50;

interface Place extends Waiting {
  readonly isHeavy: boolean;
  start(): void;
}

/**
 * Lets a bounded number of costly requests work at a time, in fair turns among tenants and their credentials. More at once would not be
 * answered sooner, and a caller with one request would share the machine with all those of another.
 */
export class Turns {
  readonly #options: TurnOptions;
  readonly #queue = new FairQueue<Place>();
  #refused = 0;
  #taken = 0;
  #takenByHeavy = 0;
  /** Milliseconds from one unit of work to the next while requests wait. */
  #unitMs = firstUnitMs;
  /** When the last request ended that others waited behind. */
  #lastEnd: number | undefined;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Requests that were refused because others waited. */
  get refused(): number {
    return this.#refused;
  }

  get working(): number {
    return this.#taken;
  }

  /**
   * Waits for a turn. Rejects with `overloaded` at once if that would take too long, and with the reason of the signal when nobody waits
   * for the answer any more. The caller calls `end` when its work is done.
   */
  async take(flow: Pick<Waiting, 'tenant' | 'key'>, cost: number, signal: AbortSignal): Promise<HeldTurn> {
    signal.throwIfAborted();
    this.#assertRoom(flow, cost);
    const turn = new HeldTurn({
      take: () => this.#take({ ...flow, cost, isHeavy: cost >= heavyCost }, signal),
      release: () => this.#release(cost),
    });
    await turn.resume();
    return turn;
  }

  #assertRoom(flow: Pick<Waiting, 'tenant' | 'key'>, cost: number): void {
    const { maxWaiting, maxWaitMs } = this.#options;
    if (this.#queue.size === 0) return;
    const own = this.#queue.of(flow);
    const flows = this.#queue.flows + (own.size === 0 ? 1 : 0);
    // Each other flow has at most as many turns as this one before it is this request's turn.
    const ahead = Math.min((own.cost + cost) * flows, this.#queue.cost + cost);
    const waitMs = ahead * this.#unitMs;
    const isFull = this.#queue.size >= maxWaiting && own.size >= maxWaiting / flows;
    if (!isFull && waitMs <= maxWaitMs) return;
    this.#refused++;
    const retryAfter = Math.min(60, Math.max(1, Math.ceil((waitMs - maxWaitMs / 2) / 1_000)));
    throw new Problem('overloaded', `${this.#queue.size} requests wait for their turn`, { retryAfter });
  }

  async #take(place: Omit<Place, 'start'>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#queue.remove(waiting);
        reject(signal.reason as Error);
      };
      const waiting: Place = {
        ...place,
        start: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.push(waiting);
      this.#startNext();
    });
  }

  #startNext(): void {
    const { places, heavyPlaces } = this.#options;
    while (this.#taken < places) {
      const next = this.#queue.take(({ isHeavy }) => !isHeavy || this.#takenByHeavy < heavyPlaces);
      if (!next) return;
      this.#taken++;
      if (next.isHeavy) this.#takenByHeavy++;
      next.start();
    }
  }

  #release(cost: number): void {
    this.#taken--;
    if (cost >= heavyCost) this.#takenByHeavy--;
    this.#measure(cost);
    this.#startNext();
  }

  /** Only while requests wait is the time between two ends the time that the work takes. */
  #measure(cost: number): void {
    const now = performance.now();
    if (this.#lastEnd !== undefined)
      this.#unitMs += smoothing * ((now - this.#lastEnd) / cost - this.#unitMs);
    this.#lastEnd = this.#queue.size > 0 ? now : undefined;
  }
}

interface Grant {
  readonly take: () => Promise<void>;
  readonly release: () => void;
}

/** The turn of one request, from when it has a place. */
export class HeldTurn implements Turn {
  readonly #grant: Grant;
  #hasPlace = false;
  #hasEnded = false;
  /** Shared by the parts of a request that end their waiting at the same time. */
  #resuming: Promise<void> | undefined;

  constructor(grant: Grant) {
    this.#grant = grant;
  }

  pause(): void {
    this.#release();
  }

  async resume(): Promise<void> {
    if (this.#hasPlace || this.#hasEnded) return;
    this.#resuming ??= this.#take();
    await this.#resuming;
  }

  async #take(): Promise<void> {
    try {
      await this.#grant.take();
    } finally {
      this.#resuming = undefined;
    }
    this.#hasPlace = true;
    if (this.#hasEnded) this.#release();
  }

  /** Gives the place up for good. */
  end(): void {
    this.#hasEnded = true;
    this.#release();
  }

  #release(): void {
    if (!this.#hasPlace) return;
    this.#hasPlace = false;
    this.#grant.release();
  }
}
