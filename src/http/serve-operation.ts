import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ItemStream, type Credential, type Outcome } from '../api/operation.ts';
import { assertMasterMayCall, perform } from '../api/perform.ts';
import type { Services } from '../api/services.ts';
import type { TenantContext } from '../domain/access/context.ts';
import { actedForSchema, actingFor } from '../domain/access/on-behalf.ts';
import { inOwnWords } from '../domain/input/issue-words.ts';
import { parseInput, type FieldHints } from '../domain/input/parse-input.ts';
import { invalid } from '../domain/problems.ts';
import { developmentIdentity, type Authenticator } from '../api/identity/authenticate.ts';
import { inThisTrace } from '../support/tracing.ts';
import type { Binding } from './binding.ts';
import { explainer } from './errors.ts';
import { tellRate } from './rate-headers.ts';
import { defaultDeadlineMs, readDeadline, RequestEnd } from './request-end.ts';
import { assertLocal } from './loopback.ts';
import { csv, csvContentType, csvHeader, csvLine } from './csv.ts';
import { isMultipart, readMultipart } from './multipart.ts';
import { ndjson } from './ndjson.ts';
import {
  assertMediaType,
  defaultMaxBodyBytes,
  assertUtf8,
  assertUtf8Path,
  hasCurrent,
  headerText,
  readIfMatch,
  readJson,
  readMustBeNew,
  traceIdOf,
} from './request.ts';

export interface ServingContext {
  readonly services: Services;
  readonly authenticator: Authenticator;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
  readonly logger: Logger;
}

const noFields = z.strictObject({});

export const headerNames = {
  reason: 'X-Reason',
  cause: 'X-Cause',
  idempotencyKey: 'Idempotency-Key',
} as const;
const servedUserHeader = 'X-On-Behalf-Of';
const headerPlaces: FieldHints = Object.fromEntries(
  Object.entries(headerNames).map(([field, header]) => [field, `use the header ${header}`]),
);

/** Answers a request by the operation of its route. */
export async function serveOperation(
  binding: Binding,
  koa: Context,
  { services, authenticator, closing, logger }: ServingContext,
): Promise<void> {
  const requestId = koa.state['requestId'] as string;
  const { caller, credential } = await identify(koa, authenticator);
  // Before the input is read: the master key is told nothing about calls that it may not make.
  assertMasterMayCall(binding.operation, caller);
  const deadlineMs = readDeadline(koa) ?? (binding.operation.takesLong ? undefined : defaultDeadlineMs);
  const input = await readInput(binding, koa);
  const end = new RequestEnd(koa, closing);
  const work = perform(
    binding.operation,
    {
      caller,
      input,
      correlationId: requestId,
      traceId: traceIdOf(koa),
      reason: headerText(koa, headerNames.reason),
      cause: koa.headers['x-cause'] as string | undefined,
      idempotencyKey: koa.headers['idempotency-key'] as string | undefined,
      fieldNames: headerNames,
      signal: end.signal,
      onRateLimit: (state) => tellRate(koa, state),
      credential,
      explain: explainer(logger, requestId),
    },
    services,
  );
  const outcome = await end.within(deadlineMs, work);
  reply(binding, koa, outcome, closing);
}

/** Who sends a request, and how to check later whether the credential is still valid. */
export async function identify(
  koa: Context,
  authenticator: Authenticator,
  authorization: string | undefined = koa.get('authorization') || undefined,
): Promise<{ readonly caller: TenantContext; readonly credential: Credential }> {
  const caller = await authenticator.authenticate(authorization);
  koa.state['tenant'] = caller.tenant;
  if (caller === developmentIdentity) assertLocal(koa.headers);
  return {
    caller: inNameOf(koa, caller),
    credential: {
      isStillValid: () => authenticator.isStillValid(authorization),
      assertStillValid: () => authenticator.assertStillValid(authorization),
    },
  };
}

/** The caller with the user that `X-On-Behalf-Of` names. */
function inNameOf(koa: Context, credential: TenantContext): TenantContext {
  if (koa.headers[servedUserHeader.toLowerCase()] === undefined) return credential;
  const user = actedForSchema.safeParse(headerText(koa, servedUserHeader) ?? '', { error: inOwnWords });
  if (!user.success) throw invalid(servedUserHeader, user.error.issues[0]!.message);
  return actingFor(credential, user.data);
}

/** Puts the input of the operation together from the parts of the request. */
async function readInput(binding: Binding, koa: Context): Promise<unknown> {
  const { operation, params, options } = binding;
  const { rename = {}, negotiated, textInPath } = options;
  if (textInPath !== undefined) assertUtf8Path(koa.path, textInPath);
  const inPath = Object.entries(params ? parseInput(params, koa['params']) : {});
  const fields = {
    ...Object.fromEntries(inPath.map(([name, value]) => [rename[name] ?? name, value])),
    ...(negotiated && { [negotiated.field]: negotiated[preferredType(koa)] }),
    ...readQuery(binding, koa),
  };
  const sent = await readBody(binding, koa, fields);
  const expectedRevision = operation.expectedRevision && readIfMatch(koa);
  return {
    ...fields,
    ...sent,
    ...(expectedRevision !== undefined && { expectedRevision }),
    ...(operation.mustBeNew && readMustBeNew(koa) && { mustBeNew: true }),
  };
}

/** The fields of the input that come from the body. */
async function readBody(
  binding: Binding,
  koa: Context,
  elsewhere: Readonly<Record<string, unknown>>,
): Promise<object> {
  const { operation, body, options } = binding;
  const { streamedBody, accepts = [] } = options;
  if (streamedBody) {
    assertMediaType(koa, accepts);
    return { [streamedBody.field]: streamedBody.read(koa.req) };
  }
  if (!body) {
    // A command without a body accepts an empty object.
    if (operation.command)
      parseInput(noFields, await readJson(koa, { bodyOptional: true }), fieldsOutsideBody(binding));
    return {};
  }
  const { multipart: fileField, maxBodyBytes: maxBytes = defaultMaxBodyBytes, repeatedInBody } = options;
  const whole =
    fileField !== undefined && isMultipart(koa)
      ? await readMultipart(koa, body, { fileField, maxBytes })
      : await readJson(koa, options);
  const sent = withoutRepeated(whole, repeatedInBody, elsewhere);
  // Only fields of the body may be merged with the rest of the input; the body's own schema names the others.
  const isKnown = (field: string) =>
    Object.hasOwn(body.shape, field) || (field === fileField && isMultipart(koa));
  if (!isObject(sent) || !Object.keys(sent).every(isKnown))
    return parseInput(body, sent, fieldsOutsideBody(binding));
  return sent;
}

/** The body without a field that repeats what the path says. Throws if it says something else. */
function withoutRepeated(
  sent: unknown,
  field: string | undefined,
  elsewhere: Readonly<Record<string, unknown>>,
): unknown {
  if (field === undefined || !isObject(sent) || !Object.hasOwn(sent, field)) return sent;
  const { [field]: repeated, ...rest } = sent;
  if (repeated === elsewhere[field]) return rest;
  throw invalid(field, 'must be the one in the path, or be left out');
}

function readQuery({ query, body }: Binding, koa: Context): Record<string, unknown> {
  assertUtf8(koa.querystring);
  return parseInput(
    query ?? noFields,
    { ...koa.query },
    { ...places(body, (name) => `use ${name} in the body`), ...headerPlaces },
  );
}

/** What to do with fields of a call that are not in its body. */
function fieldsOutsideBody({ operation, query }: Binding): FieldHints {
  return {
    ...places(query, (name) => `use the query parameter ${name}`),
    ...headerPlaces,
    ...operation.fieldHints,
    ...(operation.expectedRevision && { expectedRevision: 'use the header If-Match' }),
  };
}

function places(schema: z.ZodObject | undefined, placeOf: (name: string) => string): FieldHints {
  return Object.fromEntries(Object.keys(schema?.shape ?? {}).map((name) => [name, placeOf(name)]));
}

function preferredType(koa: Context): 'json' | 'ndjson' | 'csv' {
  const type = koa.accepts('application/json', ndjson, csv);
  return type === ndjson ? 'ndjson' : type === csv ? 'csv' : 'json';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function reply(
  { options }: Binding,
  koa: Context,
  { output, replayed, isNew }: Outcome<unknown>,
  closing: AbortSignal,
): void {
  const { status } = (isNew && options.created) || options.success;
  koa.status = status;
  if (replayed) koa.set('Idempotency-Replayed', 'true');
  if (output instanceof ItemStream) {
    // With a streamed body the client decides when the response ends, and may send another request after it.
    if (!options.streamedBody) closeBehind(koa, closing);
    koa.set('content-type', output.columns ? csvContentType : ndjson);
    const text = output.columns ? tableOf(output, output.columns) : linesOf(output);
    koa.body = Readable.from(inThisTrace(text), options.readAhead);
    return;
  }
  if (options.headers) koa.set(options.headers(output));
  koa.body = output;
  if (options.revalidates && hasCurrent(koa, koa.response.get('etag'))) koa.status = 304;
}

/**
 * Closes the connection after the response if the server stops. The headers of a stream, already sent, promised to keep the
 * connection, and the stopping server would wait for it.
 */
function closeBehind(koa: Context, closing: AbortSignal): void {
  const end = new AbortController();
  koa.res.once('close', () => end.abort());
  closing.addEventListener('abort', () => koa.res.once('finish', () => koa.req.socket.end()), {
    signal: end.signal,
  });
}

async function* tableOf(
  { batches }: ItemStream<unknown>,
  columns: readonly string[],
): AsyncGenerator<string> {
  yield csvHeader(columns);
  for await (const batch of batches) yield batch.map((item) => csvLine(item as object, columns)).join('');
}

async function* linesOf({ batches }: ItemStream<unknown>): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map((item) => `${JSON.stringify(item)}\n`).join('');
}
