import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of the request that the present work is done for. */
export interface RequestScope {
  /** Aborted when nobody waits for the answer any more, or with `ServerStopping`. */
  readonly signal: AbortSignal;
  /** The turn that the request holds, if it had to wait for one. */
  readonly turn?: Turn | undefined;
}

/** The reason of a signal that aborts because this process stops. What is worked on is still answered; what waits is refused. */
export class ServerStopping extends Error {
  override readonly name = 'ServerStopping';
}

/** A place among the requests that are worked on. */
export interface Turn {
  /** Gives the place up, so that another request may have it. */
  pause(): void;
  /** Resolves when it has a place again. Rejects if nobody waits for the answer any more. */
  resume(): Promise<void>;
}

interface OpenScope extends RequestScope {
  /** What a request began and did not wait for goes on after the answer, and then belongs to no request. */
  isAnswered: boolean;
}

const storage = new AsyncLocalStorage<OpenScope | undefined>();

/** Does the work of a request. */
export async function inRequest<T>(scope: RequestScope, work: () => Promise<T>): Promise<T> {
  const open: OpenScope = { ...scope, isAnswered: false };
  return storage.run(open, async () => {
    const result = await work();
    open.isAnswered = true;
    return result;
  });
}

/** Does work whose result several requests share: it must not end with the one that happened to begin it. */
export function forAllRequests<T>(work: () => T): T {
  return storage.run(undefined, work);
}

/**
 * Throws the reason if nobody waits for the answer of the present request any more. Called between the steps of a query, never within a
 * command: what was begun there is completed.
 */
export function throwIfUnwanted(): void {
  const signal = requestSignal();
  if (signal && isUnwanted(signal)) throw signal.reason;
}

/** Whether nobody waits for the answer of a request any more. */
export function isUnwanted(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof ServerStopping);
}

/** The signal of the present request, for what it waits for; undefined if the work is done for none. */
export function requestSignal(): AbortSignal | undefined {
  return current()?.signal;
}

/** Waits for something that takes no work of this process, and meanwhile gives up the turn of the present request. */
export async function withoutTurn<T>(wait: () => Promise<T>): Promise<T> {
  const turn = current()?.turn;
  if (!turn) return wait();
  turn.pause();
  try {
    return await wait();
  } finally {
    await turn.resume();
  }
}

function current(): RequestScope | undefined {
  const scope = storage.getStore();
  return scope?.isAnswered ? undefined : scope;
}
