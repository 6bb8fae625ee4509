import { LRUCache } from 'lru-cache';
import type { TenantContext } from '../domain/access/context.ts';
import { canonicalJson } from '../domain/json.ts';
import { Problem } from '../domain/problems.ts';
import type { EventStore } from '../ports/event-store.ts';
import { defaultWaitMs } from '../queries/read-models.ts';
import type { WhatIf, WhatIfRequest, WhatIfs } from '../queries/what-if.ts';
import { forAllRequests, withoutTurn } from '../support/request-scope.ts';
import { abandonAfter, withTimeLimit } from '../support/resilience/time-limit.ts';
import { CopyDropped } from './kept-copy.ts';
import type { PastReadModels } from './past-read-models.ts';
import { stillFilling } from './still-filling.ts';
import { computeWhatIf } from './what-if.ts';

/** How long one may take, waiting for others included. */
const maxDurationMs = 600_000;
/** Answers that are kept for those who have asked for them. */
const maxKept = 16;
const keptMs = 600_000;
const maxWaiting = 4;
/** Share that is done when both copies are filled: the questions remain. */
const maxShare = 0.99;

interface Computation {
  readonly result: Promise<WhatIf>;
  readonly startedAt: number;
  share: number;
  isOver: boolean;
}

/** Computes one what-if at a time. Its answer, which has ids and scores and no content, is kept for ten minutes. */
export class WhatIfComputations implements WhatIfs {
  readonly #parts: { readonly past: PastReadModels; readonly store: EventStore };
  readonly #stop = new AbortController();
  readonly #computations = new LRUCache<string, Computation>({ max: maxKept, ttl: keptMs });

  constructor(parts: { readonly past: PastReadModels; readonly store: EventStore }) {
    this.#parts = parts;
  }

  async ask(
    { tenant, principal }: TenantContext,
    input: object,
    request: () => Promise<WhatIfRequest>,
    waitMs: number = defaultWaitMs,
  ): Promise<WhatIf> {
    const key = canonicalJson([tenant, principal, input]);
    let computation = this.#computations.get(key);
    if (!computation) {
      // What is wrong with the request is found before anything is computed.
      const wanted = await request();
      computation = this.#computations.get(key) ?? this.#start(key, wanted);
    }
    const { result } = computation;
    return withoutTurn(() =>
      abandonAfter(
        waitMs,
        () => result,
        () => stillFilling('the read models without these events', computation.share, computation.startedAt),
      ),
    );
  }

  /** Ends what is being computed. */
  async close(): Promise<void> {
    this.#stop.abort(new CopyDropped());
    await Promise.allSettled([...this.#computations.values()].map(({ result }) => result));
  }

  #start(key: string, request: WhatIfRequest): Computation {
    const waiting = [...this.#computations.values()].filter(({ isOver }) => !isOver);
    if (waiting.length >= maxWaiting)
      throw new Problem('unavailable', `${maxWaiting} other what-ifs are being computed`, { retryAfter: 10 });
    const onProgress = (share: number): void => void (computation.share = Math.min(share, maxShare));
    const compute = () =>
      withTimeLimit(maxDurationMs, this.#stop.signal, (signal) =>
        computeWhatIf(this.#parts, request, { signal, onProgress }),
      );
    const result = forAllRequests(compute).catch((error: unknown) => {
      if (error instanceof CopyDropped) throw ended();
      if (error instanceof Error && error.name === 'TimeoutError') throw tooLong();
      throw error;
    });
    const computation: Computation = { result, startedAt: performance.now(), share: 0, isOver: false };
    this.#computations.set(key, computation);
    result.then(
      () => (computation.isOver = true),
      // The next request tries again.
      () => {
        computation.isOver = true;
        this.#computations.delete(key);
      },
    );
    return computation;
  }
}

function ended(): Problem {
  return new Problem('unavailable', 'a memory was erased meanwhile, or the server stops: ask again', {
    retryAfter: 1,
  });
}

function tooLong(): Problem {
  return new Problem(
    'position-timeout',
    `it took longer than ${maxDurationMs / 60_000} minutes: name fewer searches, or earlier ones`,
  );
}
