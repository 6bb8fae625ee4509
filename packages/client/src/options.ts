/** Settings of a client. */
export interface StratalogOptions {
  /** Default: the environment variable `STRATALOG_URL`, or `http://127.0.0.1:8080`. */
  readonly url?: string | undefined;
  /** An API key or a JWT. Default: the environment variable `STRATALOG_API_KEY`. An empty string sends no credential. */
  readonly apiKey?: string | undefined;
  /** The user that a key of role `agent` acts for. */
  readonly onBehalfOf?: string | undefined;
  /** How long a call may take, repetitions included; 60,000 by default. Streams have no limit. */
  readonly timeoutMs?: number | undefined;
  /** How often a call is repeated when the server cannot be reached or is busy; 4 by default. */
  readonly retries?: number | undefined;
  /** Whether reads include what this client has written; `true` by default. */
  readonly readYourWrites?: boolean | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** Settings of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  /** The user that a key of role `agent` acts for. */
  readonly onBehalfOf?: string | undefined;
}

/** Settings of a call that changes something. */
export interface CommandOptions extends CallOptions {
  /** The same key and body return the same answer for at least 24 hours. By default each call has a key of its own. */
  readonly idempotencyKey?: string | undefined;
  /** Shown in history and audit. */
  readonly reason?: string | undefined;
  /** Who caused the call; `user` by default. */
  readonly cause?: 'user' | 'llm' | 'system' | undefined;
}

/** Settings of a change of a memory. */
export interface ChangeOptions extends CommandOptions {
  /** The revision that the memory must be at; `*` is any. */
  readonly ifMatch?: number | '*' | undefined;
}

export const defaultUrl = 'http://127.0.0.1:8080';

/** An environment variable; undefined if it is unset or empty, or if this runtime does not give access to it. */
export function environmentVariable(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    // Deno throws if the program has no permission to read the environment.
    return undefined;
  }
}

/** The address without trailing slashes. Throws a `TypeError` if it is not an http or https address. */
export function baseUrl(url: string): string {
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url))
    throw new TypeError(`url must be an http or https address such as ${defaultUrl}, not ${url}`);
  return url.replace(/\/+$/, '');
}

export function checkedKey(key: string): string {
  const trimmed = key.trim();
  if (!/^[\x21-\x7e]*$/.test(trimmed))
    throw new TypeError('apiKey must be an API key or a JWT, in visible ASCII');
  return trimmed;
}
