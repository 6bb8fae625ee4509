import type { CallOptions, ChangeOptions } from './options.ts';

/** One call of the API, before positions and credentials are added. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Query parameters: lists are repeated, objects are written as JSON. */
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  /** Headers of this call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A status other than 2xx whose body is returned like that of a 2xx. */
  readonly alsoAnswers?: number | undefined;
  /** Where a read takes `minPosition`; undefined if the call does not take it. */
  readonly reads?: 'query' | 'body' | undefined;
  /** Whether it changes something, so that a repetition needs an idempotency key. */
  readonly changes?: boolean | undefined;
}

export type RequestOptions = CallOptions & ChangeOptions;

/** `?a=1&b=2`, or nothing. */
export function queryText(query: object | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}) as [string, unknown][])
    for (const one of [value].flat())
      if (one !== undefined) parameters.append(name, typeof one === 'string' ? one : JSON.stringify(one));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** A path whose `${…}` are escaped. */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return parts.reduce((text, part, index) => text + encodeURIComponent(values[index - 1]!) + part);
}

/** The headers of a command: why it is called, and at which revision. */
export function commandHeaders({
  idempotencyKey = randomKey(),
  reason,
  cause,
  ifMatch,
}: RequestOptions): Record<string, string> {
  return {
    'idempotency-key': idempotencyKey,
    ...(reason !== undefined && { 'x-reason': headerText('reason', reason) }),
    ...(cause !== undefined && { 'x-cause': cause }),
    ...(ifMatch !== undefined && { 'if-match': ifMatch === '*' ? '*' : `"${ifMatch}"` }),
  };
}

/** The server reads UTF-8 from the bytes of a header; fetch takes one character for each byte. */
export function headerText(name: string, text: string): string {
  if (/[\0\r\n]/.test(text)) throw new TypeError(`${name} must be one line, as it is sent in a header`);
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

/** `crypto.randomUUID` is missing in browsers on pages without TLS. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
