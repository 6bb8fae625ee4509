import type { Session } from './session.ts';

interface Message {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: { readonly requestId?: unknown } | undefined;
}

/**
 * The running requests of clients that named their session, so that a notification in a later HTTP request can cancel them. A client
 * can cancel only its own requests, because the key contains the caller too.
 */
export class RunningRequests {
  readonly #running = new Map<string, AbortController>();

  /**
   * Cancels the requests that `body` cancels, and returns a signal for those that it makes: it is aborted when the client
   * cancels one of them or ends its session.
   */
  begin(body: unknown, client: string | null, session: Session): AbortSignal {
    if (client === null) return session.signal;
    const keys: string[] = [];
    for (const message of Array.isArray(body) ? body : [body]) {
      const { method, id, params } = (message ?? {}) as Message;
      if (method === 'notifications/cancelled')
        this.#running.get(keyOf(params?.requestId, client, session))?.abort();
      else if (method !== undefined && id !== undefined) keys.push(keyOf(id, client, session));
    }
    if (keys.length === 0 || session.signal.aborted) return session.signal;
    const own = new AbortController();
    for (const key of keys) this.#running.set(key, own);
    const forget = () => {
      for (const key of keys) if (this.#running.get(key) === own) this.#running.delete(key);
    };
    session.signal.addEventListener('abort', forget, { once: true });
    return AbortSignal.any([session.signal, own.signal]);
  }
}

function keyOf(id: unknown, client: string, { caller }: Session): string {
  return JSON.stringify([caller.tenant, caller.principal, caller.user, client, id]);
}
