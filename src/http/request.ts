import { isUtf8 } from 'node:buffer';
import { unescape } from 'node:querystring';
import contentType from 'content-type';
import type { Context } from 'koa';
import rawBody from 'raw-body';
import { z } from 'zod';
import type { CommandContext } from '../commands/context.ts';
import { causes, type TenantContext } from '../domain/access/context.ts';
import { textFault } from '../domain/json.ts';
import { invalid, Problem } from '../domain/problems.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import { idempotencyOf } from './idempotency.ts';
import type { Route } from './route.ts';

export const maxBodyBytes = 2_000_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Throws where the body is not of a media type that the route takes. */
export function assertMediaType(koa: Context, accepted: readonly string[]): void {
  const header = koa.get('content-type');
  const allowed = `send the body as ${accepted.join(' or ')}`;
  if (koa.get('content-encoding') !== '' && koa.get('content-encoding') !== 'identity') {
    throw new Problem('unsupported-media-type', 'a body with a Content-Encoding is not taken');
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

/** Reads a JSON body of at most 2,000,000 bytes. */
export async function readJson(koa: Context, route: Route): Promise<unknown> {
  const length = koa.request.length ?? 0;
  const isChunked = koa.get('transfer-encoding') !== '';
  if (length === 0 && !isChunked && route.bodyOptional) return {};
  assertMediaType(koa, route.accepts ?? ['application/json']);
  let bytes: Buffer;
  try {
    bytes = await rawBody(koa.req, { limit: maxBodyBytes });
  } catch (error) {
    if ((error as { type?: string }).type === 'entity.too.large') {
      throw new Problem('body-too-large', `the body has more than ${maxBodyBytes} bytes`);
    }
    throw new Problem('malformed-json', 'the body ended before it was complete', { cause: error });
  }
  if (bytes.length === 0 && route.bodyOptional) return {};
  return parseJson(bytes);
}

/** Throws where the query string has escapes that are no UTF-8, for which U+FFFD would be read. */
export function assertUtf8(queryString: string): void {
  if (!queryString.includes('%')) return;
  for (const [name = '', ...value] of queryString.split('&').map((pair) => pair.split('='))) {
    const escapes = [name, ...value].flatMap((text) => text.match(/(?:%[0-9a-f]{2})+/gi) ?? []);
    if (escapes.every((run) => isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex')))) continue;
    throw invalid(unescape(name), 'must be valid UTF-8');
  }
}

export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new Problem('malformed-json', 'the body is not valid UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('malformed-json', 'the body is not valid JSON');
  }
}

const causeSchema = z.enum(causes);

/** Who commands and why, from the credential and the headers; a repeated key is bound to `body`. */
export function commandContext(
  koa: Context,
  caller: TenantContext,
  requestId: string,
  body: unknown,
  vault: KeyVault,
): CommandContext {
  const reason = headerText(koa, 'X-Reason', 500);
  const cause = causeSchema.safeParse(koa.get('x-cause') === '' ? 'user' : koa.get('x-cause'));
  if (!cause.success) throw invalid('X-Cause', `must be one of ${causes.join(', ')}`);
  const traceId = traceIdOf(koa);
  const idempotency = idempotencyOf(koa, caller, body, vault);
  return {
    caller,
    cause: cause.data,
    correlationId: requestId,
    ...(reason !== undefined && { reason }),
    ...(traceId !== undefined && { traceId }),
    ...(idempotency && { idempotency }),
  };
}

/** The trace that the request belongs to (W3C Trace Context). */
export function traceIdOf(koa: Context): string | undefined {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(koa.get('traceparent'))?.[1];
}

/** A header's text: UTF-8, or Latin-1 as browsers and `fetch` send it, where its bytes are no UTF-8. */
function headerText(koa: Context, name: string, maxLength: number): string | undefined {
  const value = koa.get(name);
  if (value === '') return undefined;
  const bytes = Buffer.from(value, 'latin1');
  const text = isUtf8(bytes) ? bytes.toString('utf8') : value;
  if (Array.from(text).length > maxLength) throw invalid(name, `must have at most ${maxLength} characters`);
  if (textFault(text) !== undefined) throw invalid(name, textFault(text)!);
  return text;
}

/** What a well-formed tag names that is none of ours: below 0, it matches nothing. */
const noRevision = -1;

/** The revision that If-Match names, `*`, or undefined without the header. A weak tag names no revision at all. */
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
