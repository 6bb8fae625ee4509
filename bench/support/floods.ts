import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** What one caller asks for too much of. */
export interface FloodShape {
  readonly name: string;
  /** Requests at a time. */
  readonly concurrency: number;
  readonly path: string;
  body(text: (words: number) => string): unknown;
}

export const floodShapes: readonly FloodShape[] = [
  { name: '128 searches', concurrency: 128, path: '/v1/search', body: (text) => ({ query: text(5) }) },
  {
    name: '64 long searches, topK 1000',
    concurrency: 64,
    path: '/v1/search',
    body: (text) => ({ query: text(400), topK: 1_000 }),
  },
  {
    name: '32 contexts',
    concurrency: 32,
    path: '/v1/context',
    body: (text) => ({ query: text(5), tokenBudget: 2_000 }),
  },
  ...[100, 250].map((topK) => ({
    name: `32 searches, topK ${topK}`,
    concurrency: 32,
    path: '/v1/search',
    body: (text: (words: number) => string) => ({ query: text(5), topK }),
  })),
];

/** How often each status was answered; 0 stands for no answer. */
export type Statuses = Map<number, number>;

const words =
  'alpha release gateway deploy pipeline staging database index vector search latency budget review owner schedule incident rollback canary metric log event stream projection snapshot tenant'.split(
    ' ',
  );

/** A text of `count` words. `next` returns numbers in [0, 1). */
export function textOf(count: number, next: () => number): string {
  return Array.from({ length: count }, () => words[Math.floor(next() * words.length)]!).join(' ');
}

interface Flooded {
  readonly url: () => string;
  readonly key: string;
  readonly next: () => number;
  readonly signal: AbortSignal;
  readonly concurrency?: number;
  readonly onAnswer?: (status: number, ms: number) => void;
}

/** Keeps the requests of `shape` under way until `signal` aborts; a refused one waits as `Retry-After` says. */
export async function flood(
  shape: FloodShape,
  { url, key, next, signal, ...options }: Flooded,
): Promise<Statuses> {
  const statuses: Statuses = new Map();
  // Each caller that waits listens to it.
  setMaxListeners(0, signal);
  const caller = async (): Promise<void> => {
    while (!signal.aborted) {
      const sentAt = performance.now();
      const { status, retryAfter } = await ask(
        url() + shape.path,
        key,
        shape.body((count) => textOf(count, next)),
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      options.onAnswer?.(status, performance.now() - sentAt);
      if (status !== 200)
        await sleep(Math.max(0.1, retryAfter) * 1_000, undefined, { signal }).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency ?? shape.concurrency }, caller));
  return statuses;
}

async function ask(url: string, key: string, body: unknown): Promise<{ status: number; retryAfter: number }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    return { status: response.status, retryAfter: Number(response.headers.get('retry-after') ?? 0) };
  } catch {
    return { status: 0, retryAfter: 0 };
  }
}
