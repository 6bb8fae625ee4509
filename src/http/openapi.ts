import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathItemObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { rolesOf } from '../api/operation.ts';
import { causes } from '../domain/access/context.ts';
import { bodyExampleOf, type Binding } from './binding.ts';
import { metricsExample, problemExample, readinessExample } from './health-examples.ts';
import { problemResponses, problemSchema } from './problem-responses.ts';

interface ResponseSpec {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly contentType?: string | undefined;
  readonly example: unknown;
}

const commandHeaders = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().meta({
    description: 'Key that makes the command safe to repeat: the same key and body return the same answer',
    pattern: '^[!-~]+$',
  }),
  'X-Reason': z
    .string()
    .max(500)
    .optional()
    .meta({ description: 'Reason for the change, shown in the history and the audit' }),
  'X-Cause': z.enum(causes).optional().meta({ description: 'Who caused the call. Default: user' }),
});

const callHeaders = z.object({
  'X-On-Behalf-Of': z.string().min(1).max(256).optional().meta({
    description: 'User that a caller of role agent acts for',
    pattern:
      '^[^*,\\u0000-\\u001f\\u007f-\\u009f]*[^*,\\s\\u0000-\\u001f\\u007f-\\u009f][^*,\\u0000-\\u001f\\u007f-\\u009f]*$',
  }),
  'X-Request-Timeout': z.number().min(0.001).max(60).optional().meta({
    description:
      'Seconds that the caller waits for the answer; then it is 504, and the work stops. Default: 60',
  }),
});

const ifMatch = z.string().meta({
  description: 'ETag that the memory must have, or * for any',
  pattern: '^([*]|(W/)?"[!#-~]*")$',
  examples: ['"3"'],
});
const ifMatchHeaders = {
  required: z.object({ 'If-Match': ifMatch }),
  optional: z.object({ 'If-Match': ifMatch.optional() }),
};

const revalidationHeaders = z.object({
  'If-None-Match': z.string().optional().meta({
    description: 'ETags that the client already has; if the memory has one of them, the answer is 304',
  }),
});

const ifNoneMatchHeaders = z.object({
  'If-None-Match': z
    .literal('*')
    .optional()
    .meta({ description: '`*` stores the memory only if no memory has this externalId' }),
});

const followerHealth = z.object({
  name: z.string(),
  position: z.int(),
  lag: z.int(),
  lock: z
    .enum(['here', 'elsewhere', 'free'])
    .meta({ description: 'Which process runs it: this one, another one, or none' }),
  parked: z.int(),
});

const readiness = z
  .object({
    status: z.enum(['ready', 'draining', 'unavailable']),
    profile: z.string(),
    roles: z
      .array(z.enum(['api', 'relay', 'projector', 'worker']))
      .meta({ description: 'Roles of this process' }),
    identity: z.enum(['development', 'credentials']),
    log: z.union([z.object({ head: z.int(), position: z.string() }), z.object({ error: z.string() })]),
    projections: z.array(followerHealth),
    reactors: z
      .array(followerHealth)
      .meta({ description: 'What works by itself on what happens, such as completing erasures' }),
    relay: z
      .object({
        state: z.enum(['active', 'standby', 'failing']),
        checkpoint: z.int(),
        positionsBehind: z.int(),
        secondsBehind: z.number(),
        publishedEvents: z.int(),
        withheldEvents: z.int(),
        eventsPerSecond: z.number(),
        error: z.string().optional(),
      })
      .optional()
      .meta({ description: 'State of the relay, if this process has that role' }),
    bulkStores: z.enum(['open', 'held-back']).optional().meta({
      description:
        'Whether lines of bulk stores are taken more slowly, because the vectors lag; absent without the role `api`',
    }),
    backEnds: z
      .record(
        z.string(),
        z.union([
          z.object({ state: z.literal('up'), version: z.string() }),
          z.object({ state: z.literal('down'), error: z.string() }),
        ]),
      )
      .meta({ description: 'Servers of the profile, and whether each responds' }),
    embedder: z
      .union([
        z.object({ model: z.string(), state: z.literal('up') }),
        z.object({
          model: z.string(),
          state: z.literal('down'),
          error: z.string(),
          since: z.iso.datetime().optional(),
        }),
      ])
      .optional()
      .meta({
        description:
          'Embedding model of the vectors that queries read; while it is down, searches use words only',
      }),
  })
  .meta({ id: 'Readiness' });

const followerState = z.object({ name: z.string(), state: z.enum(['following', 'parked']) });
const upOrDown = z.enum(['up', 'down']);

const readinessStates = z
  .object({
    ...readiness.pick({ status: true, profile: true, roles: true, identity: true }).shape,
    log: z.object({ state: upOrDown, position: z.string().optional() }),
    projections: z.array(followerState),
    reactors: z.array(followerState),
    relay: z.object({ state: z.enum(['active', 'standby', 'failing']) }).optional(),
    backEnds: z.record(z.string(), z.object({ state: upOrDown })),
    embedder: z.object({ model: z.string(), state: upOrDown }).optional(),
  })
  .meta({ id: 'ReadinessStates', description: 'States without figures' });

const shownReadiness = z.union([readiness, readinessStates]);

const optionalCredential = [{}, { bearer: [] }];

function refusal(description: string): ResponseSpec {
  return {
    description,
    schema: problemSchema,
    contentType: 'application/problem+json',
    example: problemExample,
  };
}

/** Endpoints for supervisors and load balancers. A credential shows more, or is needed for metrics where other machines reach them. */
const healthPaths: ZodOpenApiPathsObject = {
  '/livez': health('livez', 'Check whether the process responds', {
    200: {
      description: 'Alive',
      schema: z.object({ status: z.literal('alive') }),
      example: { status: 'alive' },
    },
  }),
  '/readyz': health(
    'readyz',
    'Check whether the process can do its work. Everyone sees states; operator, auditor and admin also see the head of the log and the lag of each read model and reactor',
    {
      200: { description: 'Ready', schema: shownReadiness, example: readinessExample },
      503: {
        description:
          'Not ready: the log is unavailable, or the process is draining and answers only on connections that are already open',
        schema: shownReadiness,
        example: { ...readinessExample, status: 'draining' },
      },
      401: refusal('The credential is wrong'),
    },
    optionalCredential,
  ),
  '/metrics': health(
    'metrics',
    'Show the metrics of this process for Prometheus, without tenants and content. On a host other than loopback it needs the role operator, auditor or admin, or has STRATALOG_METRICS_PORT',
    {
      200: {
        description: 'Prometheus text format',
        schema: z.string(),
        contentType: 'text/plain',
        example: metricsExample,
      },
      401: refusal('A credential is needed here'),
      403: refusal('The caller has another role'),
    },
    optionalCredential,
  ),
};

function health(
  operationId: string,
  summary: string,
  answers: Readonly<Record<number, ResponseSpec>>,
  security: ZodOpenApiOperationObject['security'] = [],
): ZodOpenApiPathItemObject {
  return {
    get: { operationId, summary, tags: ['Health'], security, responses: responsesOf(answers) },
  };
}

/** The API as OpenAPI 3.1, from the operations and their bindings: the schemas that validate requests document them. */
export function openApiDocument(bindings: readonly Binding[]): ReturnType<typeof createDocument> {
  const paths: ZodOpenApiPathsObject = { ...healthPaths };
  for (const binding of bindings) {
    const path = binding.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [binding.method]: operationOf(binding) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Stratalog',
      version: '1',
      description: 'Memory for AI agents in which every change, every access and every decision is an event.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a JWT' } },
    },
  });
}

function responsesOf(answers: Readonly<Record<number, ResponseSpec>>): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(answers).map(
      ([status, { description, schema, example, contentType = 'application/json' }]) => [
        status,
        { description, content: { [contentType]: { schema, example } } },
      ],
    ),
  );
}

function operationOf(binding: Binding): ZodOpenApiOperationObject {
  const { operation, params: path, query, options } = binding;
  const { name, summary, area, output, examples } = operation;
  const { success, created } = options;
  const { contentType } = success;
  const answer = ({ description }: { readonly description: string }) => ({
    description,
    contentType,
    schema: output,
    example: examples.output,
  });
  return {
    operationId: name,
    summary,
    tags: [area],
    'x-roles': [...rolesOf(operation)],
    requestParams: { ...(path && { path }), ...(query && { query }), header: headersOf(binding) },
    ...requestBodyOf(binding),
    responses: {
      ...responsesOf({
        [success.status]: answer(success),
        ...(created && { [created.status]: answer(created) }),
      }),
      ...(options.revalidates && { 304: { description: 'The client already has this revision' } }),
      ...problemResponses(binding),
    },
  };
}

function headersOf({ operation, options }: Binding): z.ZodObject {
  const { command, expectedRevision, mustBeNew } = operation;
  return z.object({
    ...callHeaders.shape,
    ...(command && commandHeaders.shape),
    ...(expectedRevision && ifMatchHeaders[expectedRevision].shape),
    ...(mustBeNew && ifNoneMatchHeaders.shape),
    ...(options.revalidates && revalidationHeaders.shape),
  });
}

/** Without the fields that stand for the file. */
function fieldsOf(example: unknown): object {
  const { text: _, base64: __, ...fields } = example as Readonly<Record<string, unknown>>;
  return fields;
}

function requestBodyOf(binding: Binding): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const { body, options } = binding;
  const { accepts = ['application/json'], bodyOptional = false, streamedBody } = options;
  const example = bodyExampleOf(binding);
  if (streamedBody)
    return {
      requestBody: { required: true, content: { [accepts[0]!]: { schema: { type: 'string' }, example } } },
    };
  if (!body) return {};
  return {
    requestBody: {
      required: !bodyOptional,
      content: {
        ...Object.fromEntries(accepts.map((type) => [type, { schema: body, example }])),
        ...(options.multipart !== undefined && {
          'multipart/form-data': {
            schema: body.extend({
              [options.multipart]: z.string().meta({ format: 'binary', description: 'The file' }),
            }),
            example: { ...fieldsOf(example), [options.multipart]: '(the bytes of the file)' },
          },
        }),
      },
    },
  };
}
