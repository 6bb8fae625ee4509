import { isUtf8 } from 'node:buffer';
import { unescape } from 'node:querystring';
import contentType from 'content-type';
import type { Context } from 'koa';
import rawBody from 'raw-body';
import { noRevision } from '../api/fields.ts';
import { parseBoundedJson } from '../domain/input/bounded-json.ts';
import { invalid, Problem } from '../domain/problems.ts';
import type { BindingOptions } from './binding.ts';
import { unlessStalled } from './stalls.ts';
import { currentTraceId } from '../support/tracing.ts';

export const defaultMaxBodyBytes = 8_000_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Throws `unsupported-media-type` if the body is not of one of these media types, in UTF-8. */
export function assertMediaType(koa: Context, accepted: readonly string[]): void {
  const header = koa.get('content-type');
  const allowed = `send the body as ${accepted.join(' or ')}`;
  if (koa.get('content-encoding') !== '' && koa.get('content-encoding') !== 'identity') {
    throw new Problem('unsupported-media-type', 'a body with a Content-Encoding is not accepted');
  }
  if (header === '') throw new Problem('unsupported-media-type', `there is no Content-Type: ${allowed}`);
  let parsed: { type: string; parameters: Record<string, string> };
  try {
    parsed = contentType.parse(header);
  } catch {
    throw new Problem('unsupported-media-type', `the Content-Type is malformed: ${allowed}`);
  }
  const charset = parsed.parameters['charset']?.toLowerCase() ?? 'utf-8';
  if (!accepted.includes(parsed.type) || (charset !== 'utf-8' && charset !== 'utf8')) {
    throw new Problem('unsupported-media-type', `${allowed}, in UTF-8`);
  }
}

/** Reads a JSON body; `{}` if it is optional and absent. */
export async function readJson(
  koa: Context,
  {
    accepts = ['application/json'],
    bodyOptional = false,
    maxBodyBytes = defaultMaxBodyBytes,
  }: Pick<BindingOptions, 'accepts' | 'bodyOptional' | 'maxBodyBytes'>,
): Promise<unknown> {
  const length = koa.request.length ?? 0;
  const isChunked = koa.get('transfer-encoding') !== '';
  if (length === 0 && !isChunked && bodyOptional) return {};
  assertMediaType(koa, accepts);
  let bytes: Buffer;
  try {
    bytes = await unlessStalled(koa.req, rawBody(koa.req, { limit: maxBodyBytes }));
  } catch (error) {
    if (error instanceof Problem) throw error;
    if ((error as { type?: string }).type === 'entity.too.large') {
      throw new Problem('body-too-large', `the body has more than ${maxBodyBytes} bytes`);
    }
    throw new Problem('malformed-json', 'the body ended before it was complete', { cause: error });
  }
  if (bytes.length === 0 && bodyOptional) return {};
  return parseBoundedJson(textOf(bytes), 'the body');
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem('malformed-json', 'the body is not valid UTF-8');
  }
}

/** Throws if escapes in the query string are not UTF-8: they would be decoded as U+FFFD. */
export function assertUtf8(queryString: string): void {
  if (!queryString.includes('%')) return;
  for (const [name = '', ...value] of queryString.split('&').map((pair) => pair.split('='))) {
    const escapes = [name, ...value].flatMap((text) => text.match(/(?:%[0-9a-f]{2})+/gi) ?? []);
    if (escapes.every((run) => isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex')))) continue;
    throw invalid(unescape(name), 'must be valid UTF-8');
  }
}

/** Throws if escapes in the path are not UTF-8: the router would take them as they are. */
export function assertUtf8Path(path: string, parameter: string): void {
  try {
    decodeURIComponent(path);
  } catch {
    throw invalid(parameter, 'must be percent-encoded UTF-8');
  }
}

/** Trace id of the request: that of its span, or else of the header `traceparent` (W3C Trace Context). */
export function traceIdOf(koa: Context): string | undefined {
  return currentTraceId() ?? /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(koa.get('traceparent'))?.[1];
}

/** Text of a header: UTF-8, or if its bytes are not UTF-8, Latin-1, which browsers and `fetch` send. */
export function headerText(koa: Context, name: string): string | undefined {
  const value = koa.get(name);
  if (value === '') return undefined;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** The revision named by If-Match, `*`, or undefined without the header. A weak tag matches no revision. */
export function readIfMatch(koa: Context): number | '*' | undefined {
  if (koa.headers['if-match'] === undefined) return undefined;
  const header = koa.get('if-match').trim();
  if (header === '*') return '*';
  const tag = /^(W\/)?"([\x21\x23-\x7e]*)"$/.exec(header);
  if (!tag) {
    throw new Problem('etag-invalid', 'If-Match must be one ETag of the memory, such as "3", or *', {
      errors: [{ path: 'If-Match', message: 'must be "<revision>" or *' }],
    });
  }
  return tag[1] === undefined && /^(0|[1-9][0-9]{0,8})$/.test(tag[2]!) ? Number(tag[2]) : noRevision;
}

/** Whether If-None-Match says that nothing may exist yet; `*` is all that a command takes. */
export function readMustBeNew(koa: Context): boolean {
  if (koa.headers['if-none-match'] === undefined) return false;
  if (koa.get('if-none-match').trim() === '*') return true;
  throw new Problem('etag-invalid', 'If-None-Match of a PUT must be *', {
    errors: [{ path: 'If-None-Match', message: 'must be *' }],
  });
}

/**
 * Whether If-None-Match lists this ETag, compared weakly (RFC 9110, 13.1.2), or is `*`. Cache-Control does not count, unlike in
 * Koa's `fresh`: it speaks to caches, and `fetch` sends `no-cache` beside every If-None-Match.
 */
export function hasCurrent(koa: Context, etag: string): boolean {
  const header = koa.get('if-none-match').trim();
  if (header === '*') return true;
  const tags = header.match(/(?:W\/)?"[\x21\x23-\x7e]*"/g) ?? [];
  return tags.some((tag) => tag.replace(/^W\//, '') === etag);
}
