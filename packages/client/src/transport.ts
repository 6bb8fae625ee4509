import { backoffMs, isPassing } from './backoff.ts';
import { Deadline } from './deadline.ts';
import { isProblem, ProblemError, StratalogError, UnreachableError, type ProblemDocument } from './errors.ts';
import { lost } from './ndjson.ts';
import { baseUrl, checkedKey, defaultUrl, environmentVariable, type StratalogOptions } from './options.ts';
import { commandHeaders, headerText, queryText, type ApiRequest, type RequestOptions } from './request.ts';
import { SeenPosition } from './seen-position.ts';

const defaultTimeoutMs = 60_000;
const defaultRetries = 4;
/** How long a read may wait for the client's own writes: the most that the server allows. */
const longestWaitMs = 30_000;

/** A body that is not a JSON object. It is created anew for each attempt. */
export interface RawBody {
  readonly contentType: string;
  readonly body: () => Promise<NonNullable<RequestInit['body']>>;
  /** False once a source that can be read only once has been read. */
  readonly canRepeat: () => boolean;
}

/** Sends requests, repeats those that may succeed later, and remembers positions. */
export class Transport {
  readonly url: string;
  readonly seen: SeenPosition;
  readonly retries: number;
  readonly #options: StratalogOptions;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: StratalogOptions, seen = new SeenPosition()) {
    this.url = baseUrl(options.url ?? environmentVariable('STRATALOG_URL') ?? defaultUrl);
    const key = checkedKey(options.apiKey ?? environmentVariable('STRATALOG_API_KEY') ?? '');
    this.seen = seen;
    this.retries = options.retries ?? defaultRetries;
    this.#options = options;
    this.#headers = { ...options.headers, ...(key !== '' && { authorization: `Bearer ${key}` }) };
  }

  /** The same connection and positions, for another user. */
  onBehalfOf(user: string | undefined): Transport {
    return new Transport({ ...this.#options, onBehalfOf: user }, this.seen);
  }

  /** The JSON of the answer. Throws `ProblemError`, `UnreachableError`, `ConnectionLostError` or `TimeoutError`. */
  async call<Answer>(request: ApiRequest, options: RequestOptions = {}): Promise<Answer> {
    const deadline = new Deadline(
      options.signal,
      options.timeoutMs ?? this.#options.timeoutMs ?? defaultTimeoutMs,
    );
    try {
      let asked: string | undefined;
      const text = await this.#attempts(request, options, deadline, (response, minPosition) => {
        asked = minPosition;
        return response.text().catch((cause: unknown) => lost(cause));
      });
      const answer = this.#parsed(text) as Answer;
      this.#remember(request, answer, asked);
      return answer;
    } finally {
      deadline.dispose();
    }
  }

  /** The answer with its body unread. There is no time limit, since a stream may last; only `signal` ends it. */
  async open(request: ApiRequest, options: RequestOptions = {}, raw?: RawBody): Promise<Response> {
    return this.#attempts(
      request,
      options,
      new Deadline(options.signal, undefined),
      (response) => Promise.resolve(response),
      raw,
    );
  }

  async #attempts<Answer>(
    request: ApiRequest,
    options: RequestOptions,
    deadline: Deadline,
    read: (response: Response, minPosition: string | undefined) => Promise<Answer>,
    raw?: RawBody,
  ): Promise<Answer> {
    const { retries = this.retries } = options;
    // Created once: all attempts are the same command.
    const headers = this.#headersOf(request, options, raw);
    for (let attempt = 0; ; attempt++) {
      const minPosition = this.#minPositionOf(request);
      const { target, init } = this.#message(request, minPosition, deadline);
      try {
        const sent = { ...init, headers, ...(await rawBody(raw)) };
        return await read(await this.#send(request, target, sent), minPosition);
      } catch (error) {
        // If the caller aborted, throw the reason of the signal instead of the error that the abort caused.
        deadline.signal.throwIfAborted();
        if (minPosition !== undefined && isAboutMinPosition(error)) {
          // The log was replaced. Without the position, this cannot happen again.
          this.seen.forget(minPosition);
          continue;
        }
        if (!isPassing(error)) throw error;
        const waitMs = backoffMs(attempt, error instanceof ProblemError ? error.retryAfter : 0);
        if (attempt >= retries || waitMs > deadline.left || raw?.canRepeat() === false) throw error;
        await deadline.pause(waitMs);
      }
    }
  }

  #headersOf(request: ApiRequest, options: RequestOptions, raw: RawBody | undefined): Headers {
    const user = options.onBehalfOf ?? this.#options.onBehalfOf;
    const contentType = raw?.contentType ?? (request.body && 'application/json');
    // Created here and not by `fetch`, which reports invalid headers like errors of the network.
    return new Headers({
      ...this.#headers,
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(user !== undefined && { 'x-on-behalf-of': headerText('onBehalfOf', user) }),
      ...(request.changes && commandHeaders(options)),
      ...request.headers,
    });
  }

  /** The position that a read must include, unless the caller names one. */
  #minPositionOf({ reads, query, body }: ApiRequest): string | undefined {
    if (reads === undefined || this.#options.readYourWrites === false) return undefined;
    const given: { minPosition?: string } | undefined = reads === 'query' ? query : body;
    return given?.minPosition === undefined ? this.seen.latest : undefined;
  }

  #message(
    { method, path, query, body, reads }: ApiRequest,
    minPosition: string | undefined,
    deadline: Deadline,
  ): { target: string; init: RequestInit } {
    // Shorter than the call's own limit, so that the server can answer that the wait timed out.
    const waitMs = Math.floor(Math.min(longestWaitMs, 0.9 * deadline.left));
    const wait = minPosition === undefined ? {} : { minPosition, waitMs };
    const parameters = reads === 'query' ? { ...wait, ...query } : query;
    const sent = reads === 'body' ? { ...wait, ...body } : body;
    return {
      target: this.url + path + queryText(parameters),
      init: { method, signal: deadline.signal, ...(sent && { body: JSON.stringify(sent) }) },
    };
  }

  async #send({ alsoAnswers }: ApiRequest, target: string, init: RequestInit): Promise<Response> {
    const { fetch = globalThis.fetch } = this.#options;
    const response = await fetch(target, init).catch((cause: unknown) => {
      // The caller's own `fetch` may throw an error that says more.
      if (cause instanceof StratalogError) throw cause;
      throw new UnreachableError(`no Stratalog answers at ${this.url}`, { cause });
    });
    if (response.ok || response.status === alsoAnswers) return response;
    const text = await response.text().catch(() => '');
    throw new ProblemError(response.status, problemOf(text), response.headers);
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new UnreachableError(`something other than Stratalog answers at ${this.url}`, { cause });
    }
  }

  /** Remembers the position of a command, and how far a read has come. The answer about a past has the position of the past. */
  #remember({ changes, query, body }: ApiRequest, answer: unknown, asked: string | undefined): void {
    const { position } = (answer ?? {}) as { position?: unknown };
    if (typeof position !== 'string') return;
    const { asOf } = { ...query, ...body } as { asOf?: unknown };
    if (changes) this.seen.add(position);
    else if (asked !== undefined && asOf === undefined) this.seen.included(asked, position);
  }
}

/** Whether the server does not know `minPosition`. The same problem can be about `asOf`. */
const isAboutMinPosition = (error: unknown): boolean =>
  isProblem(error, 'position-unknown') && error.errors.some(({ path }) => path === 'minPosition');

async function rawBody(raw: RawBody | undefined): Promise<RequestInit> {
  if (!raw) return {};
  // Node needs `duplex` for a body that is a stream; the types of the DOM do not know it yet.
  const init = { body: await raw.body(), duplex: 'half' as const };
  return init;
}

function problemOf(text: string): ProblemDocument {
  try {
    const problem: unknown = JSON.parse(text);
    return typeof problem === 'object' && problem !== null ? (problem as ProblemDocument) : {};
  } catch {
    return {};
  }
}
