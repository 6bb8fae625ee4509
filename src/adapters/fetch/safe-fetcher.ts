import { lookup as resolve } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { faultOfUrl } from '../../domain/sources/source-config.ts';
import { FetchFailed, type Fetched, type Fetcher, type FetchRequest } from '../../ports/fetcher.ts';
import { addressOfHost } from '../../support/net/addresses.ts';
import type { AllowedHosts } from '../../support/net/allowed-hosts.ts';
import { packageVersion } from '../package-version.ts';
import { HostGate } from './host-gate.ts';
import { gunzipped, readBody } from './read-body.ts';

export interface FetchLimits {
  /** Of one request with its redirects, without the time that it waits for its turn. */
  readonly totalMs: number;
  /** Without a byte. */
  readonly stallMs: number;
  /** After decompression. */
  readonly maxBytes: number;
  /** Between two requests to a host. */
  readonly pauseMs: number;
}

const defaults: FetchLimits = { totalMs: 60_000, stallMs: 15_000, maxBytes: 64_000_000, pauseMs: 1_000 };

const maxRedirects = 5;
const redirects = [301, 302, 303, 307, 308];
/** A server that is busy and does not say for how long. */
const defaultRestMs = 60_000;
const maxRestMs = 86_400_000;

/**
 * Fetches over http and https. The addresses of a host are looked up once for each connection, checked, and used for it, so that what was
 * checked is what is connected to; a redirect is a new request. Proxies of the environment are not used.
 */
export class SafeFetcher implements Fetcher {
  readonly #allowed: AllowedHosts;
  readonly #limits: FetchLimits;
  readonly #gate = new HostGate();
  readonly #agent = `Stratalog/${packageVersion()}`;

  constructor(allowed: AllowedHosts, limits: Partial<FetchLimits> = {}) {
    this.#allowed = allowed;
    this.#limits = { ...defaults, ...limits };
  }

  async fetch(request: FetchRequest, signal: AbortSignal): Promise<Fetched> {
    let url = request.url;
    let leftMs = this.#limits.totalMs;
    for (let hops = 0; ; hops++) {
      const target = targetOf(url);
      const { pauseMs = this.#limits.pauseMs } = request;
      const answer = await this.#gate.inTurn(
        target.host,
        pauseMs,
        async () => {
          const began = performance.now();
          try {
            return await this.#once(target, request, leftMs, signal);
          } finally {
            leftMs -= performance.now() - began;
          }
        },
        signal,
      );
      if (!('redirect' in answer)) return answer;
      if (hops === maxRedirects)
        throw new FetchFailed('refused', `the server redirects more than ${maxRedirects} times`);
      url = answer.redirect;
    }
  }

  /** One request. Throws `FetchFailed` for what is no answer. */
  async #once(
    target: URL,
    request: FetchRequest,
    leftMs: number,
    signal: AbortSignal,
  ): Promise<Fetched | { readonly redirect: string }> {
    this.#assertAllowed(target);
    const timer = new Deadline(leftMs, this.#limits.stallMs);
    const ended = AbortSignal.any([signal, timer.signal]);
    try {
      const response = await this.#send(target, request, ended);
      try {
        const answer = await this.#answerOf(response, target, () => timer.touch());
        const isGzip =
          request.gunzip && 'bytes' in answer && answer.bytes[0] === 0x1f && answer.bytes[1] === 0x8b;
        return isGzip ? { ...answer, bytes: await gunzipped(answer.bytes, this.#limits.maxBytes) } : answer;
      } finally {
        response.destroy();
      }
    } catch (error) {
      signal.throwIfAborted();
      throw explained(timer.signal.aborted ? timer.signal.reason : error);
    } finally {
      timer.end();
    }
  }

  /** An address in the URL itself is not looked up, so it is checked here. */
  #assertAllowed(target: URL): void {
    const address = addressOfHost(target.hostname);
    if (address !== undefined && !this.#permits(target, address)) throw notAllowed();
  }

  #permits(target: URL, address: string): boolean {
    return this.#allowed.permits({ host: target.hostname, port: portOf(target), address });
  }

  #send(target: URL, { etag, lastModified }: FetchRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { request, Agent } = target.protocol === 'https:' ? https : http;
    const headers = {
      'user-agent': this.#agent,
      accept: '*/*',
      'accept-encoding': 'gzip, br, deflate',
      connection: 'close',
      ...(etag !== undefined && { 'if-none-match': etag }),
      ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
    };
    return new Promise((fulfil, reject) => {
      // An agent of its own: the global one may use a proxy, or a connection to an address that was checked for another host.
      const agent = new Agent({ keepAlive: false });
      const sent = request(target, { agent, headers, signal, lookup: this.#lookupFor(target) });
      sent.once('socket', (socket) =>
        socket.once('connect', () => {
          const { remoteAddress } = socket;
          if (remoteAddress === undefined || !this.#permits(target, remoteAddress))
            sent.destroy(notAllowed());
        }),
      );
      sent.once('response', fulfil);
      sent.once('error', reject);
      sent.end();
    });
  }

  /** Refuses a host if any of its addresses is not allowed: a name that has both kinds is meant to get past the check. */
  #lookupFor(target: URL): LookupFunction {
    return (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, [], 0);
        if (addresses.length === 0 || addresses.some(({ address }) => !this.#permits(target, address)))
          return callback(notAllowed(), [], 0);
        if (options.all) return callback(null, addresses);
        const [{ address, family }] = addresses as [(typeof addresses)[number]];
        callback(null, address, family);
      });
    };
  }

  async #answerOf(
    response: IncomingMessage,
    target: URL,
    onBytes: () => void,
  ): Promise<Fetched | { readonly redirect: string }> {
    const { statusCode: status = 0, headers } = response;
    const { location, etag } = headers;
    if (redirects.includes(status) && location !== undefined) {
      if (!URL.canParse(location, target.href))
        throw new FetchFailed('refused', 'the server redirects to no address', { status });
      return { redirect: new URL(location, target.href).href };
    }
    const isNew = status >= 200 && status < 300;
    if (!isNew && status !== 304) throw this.#refusalOf(status, headers['retry-after'], target);
    return {
      status,
      notModified: !isNew,
      bytes: isNew ? await readBody(response, this.#limits.maxBytes, onBytes) : new Uint8Array(),
      mediaType: headers['content-type'],
      etag,
      lastModified: headers['last-modified'],
      url: target.href,
    };
  }

  #refusalOf(status: number, retryAfter: string | undefined, target: URL): FetchFailed {
    const isBusy = status === 429 || status === 503;
    const notBefore = isBusy ? new Date(Date.now() + restMs(retryAfter)) : undefined;
    if (notBefore) this.#gate.rest(target.host, notBefore);
    return new FetchFailed('refused', `the server answers with the status ${status}`, { status, notBefore });
  }
}

function targetOf(url: string): URL {
  const fault = faultOfUrl(url);
  if (fault !== undefined) throw new FetchFailed('not-allowed', `the address ${fault}`);
  return new URL(url);
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function restMs(retryAfter: string | undefined): number {
  const seconds = retryAfter?.trim() ?? '';
  const ms = /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : new Date(seconds).getTime() - Date.now();
  return Number.isNaN(ms) ? defaultRestMs : Math.min(Math.max(ms, 0), maxRestMs);
}

function notAllowed(): FetchFailed {
  return new FetchFailed(
    'not-allowed',
    'the server has an address that is not public; STRATALOG_FETCH_ALLOW does not name it',
  );
}

/** The message of an error of the network names addresses, which may be those of internal hosts. */
function explained(error: unknown): FetchFailed {
  if (error instanceof FetchFailed) return error;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (/^Z_|^ERR_.*BROTLI|ZLIB/.test(code) || code === 'ERR__ERROR_FORMAT_PADDING_1')
    return new FetchFailed('not-readable', 'the answer is compressed and damaged');
  if (syscall === 'getaddrinfo') return new FetchFailed('unreachable', 'the host has no address');
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return new FetchFailed('unreachable', 'the certificate of the server is not valid');
  return new FetchFailed('unreachable', 'the connection to the server failed');
}

/** Ends a request that takes too long altogether, or from which nothing comes. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #total: NodeJS.Timeout;
  #stall: NodeJS.Timeout;

  constructor(totalMs: number, stallMs: number) {
    const end = (what: string) => () =>
      this.#controller.abort(new FetchFailed('timed-out', `the server ${what}`));
    this.#total = setTimeout(end('takes too long'), Math.max(0, totalMs));
    this.#stall = setTimeout(end('sends nothing'), stallMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  touch(): void {
    this.#stall = this.#stall.refresh();
  }

  end(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#stall);
  }
}
