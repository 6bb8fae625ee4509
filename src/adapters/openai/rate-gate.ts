import { APIError } from 'openai';
import { Backoff } from '../../support/resilience/backoff.ts';
import { retryAfterMs } from '../../support/resilience/retry-after.ts';
import { pause } from '../../support/pause.ts';

/** An endpoint that names no pause is left alone for this long, and for twice as long after each further refusal. */
const backoff = { firstMs: 250, longestMs: 60_000, jitter: 0.25 };
/** An endpoint may ask for any pause; after this one it is asked again. */
const maxPauseMs = 600_000;

/**
 * Holds back all requests to an endpoint while it says that there are too many (429), so that its callers do not each find that out by a
 * request of their own.
 */
export class RateGate {
  readonly #backoff = new Backoff(backoff);
  #opensAt = 0;
  #refusal: unknown;

  /**
   * Waits until requests may be sent. Throws the endpoint's refusal if that is at `end` (on the clock of `performance.now`) or later.
   */
  async pass(end: number, signal: AbortSignal): Promise<void> {
    for (let waitMs; (waitMs = this.#opensAt - performance.now()) > 0;) {
      if (performance.now() + waitMs >= end) throw this.#refusal;
      await pause(waitMs, signal);
      signal.throwIfAborted();
    }
  }

  succeeded(): void {
    this.#backoff.reset();
  }

  /** Takes note of the error of a request: one that says that there are too many closes the gate for all. */
  failed(error: unknown): void {
    if (!(error instanceof APIError) || error.status !== 429) return;
    const pauseMs = Math.min(askedPauseMs(error) ?? this.#backoff.next(), maxPauseMs);
    this.#refusal = error;
    this.#opensAt = Math.max(this.#opensAt, performance.now() + pauseMs);
  }
}

/** The pause that an endpoint asks for: `retry-after-ms`, `Retry-After`, or the time after which a limit of OpenAI is reset. */
export function askedPauseMs(error: unknown): number | undefined {
  const headers: unknown = error instanceof APIError ? error.headers : undefined;
  if (!(headers instanceof Headers)) return undefined;
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const asked = retryAfterMs(headers.get('retry-after'));
  if (asked !== undefined) return asked;
  const spent = (['requests', 'tokens'] as const).filter(
    (what) => headers.get(`x-ratelimit-remaining-${what}`) === '0',
  );
  const resets = spent.flatMap((what) => durationMs(headers.get(`x-ratelimit-reset-${what}`)) ?? []);
  return resets.length === 0 ? undefined : Math.max(...resets);
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads a duration as OpenAI writes it: `6m0s`, `1.5s`, `20ms`. */
function durationMs(text: string | null): number | undefined {
  if (text === null || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h)){1,4}$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit!]!,
    0,
  );
}

/** A gate for each model, which is what providers limit. */
export class RateGates {
  readonly #byModel = new Map<string, RateGate>();

  of(model: string): RateGate {
    let gate = this.#byModel.get(model);
    if (!gate) this.#byModel.set(model, (gate = new RateGate()));
    return gate;
  }
}
