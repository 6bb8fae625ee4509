import { FetchFailed } from '../../ports/fetcher.ts';
import { pause } from '../../support/pause.ts';

interface Host {
  /** Settles when no request is under way. */
  last: Promise<void>;
  waiting: number;
  /** When the next request may begin, in milliseconds since 1970. */
  notBefore: number;
}

/** Hosts that are remembered before those that rest are forgotten. */
const maxHosts = 1_000;
/** A server that wants to be left alone for longer is not waited for. */
const maxWaitMs = 10_000;

/** Sends one request at a time to a host, with a pause between two. */
export class HostGate {
  readonly #hosts = new Map<string, Host>();

  /** Runs `work` in turn. Throws `FetchFailed` if the host wants to be left alone for long. */
  async inTurn<T>(name: string, pauseMs: number, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const host = this.#hosts.get(name) ?? { last: Promise.resolve(), waiting: 0, notBefore: 0 };
    this.#hosts.set(name, host);
    host.waiting++;
    const before = host.last;
    let done: () => void = () => undefined;
    host.last = new Promise((resolve) => (done = resolve));
    try {
      await before;
      signal.throwIfAborted();
      const waitMs = host.notBefore - Date.now();
      if (waitMs > Math.max(maxWaitMs, pauseMs))
        throw new FetchFailed('refused', 'the server asked to be left alone for a while', {
          notBefore: new Date(host.notBefore),
        });
      if (waitMs > 0) await pause(waitMs, signal);
      signal.throwIfAborted();
      return await work();
    } finally {
      host.notBefore = Math.max(host.notBefore, Date.now() + pauseMs);
      host.waiting--;
      done();
      this.#forget();
    }
  }

  /** Nothing is sent to the host before this time. */
  rest(name: string, until: Date): void {
    const host = this.#hosts.get(name);
    if (host) host.notBefore = Math.max(host.notBefore, until.getTime());
  }

  #forget(): void {
    if (this.#hosts.size <= maxHosts) return;
    for (const [name, { waiting, notBefore }] of this.#hosts)
      if (waiting === 0 && notBefore < Date.now()) this.#hosts.delete(name);
  }
}
