import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { problems, type ProblemCode } from '../domain/problems.ts';
import type { Binding } from './binding.ts';
import { problemExample } from './health-examples.ts';

/** Some problems have members of their own, such as `memoryId`; `docs/reference/problems.md` names them. */
export const problemSchema = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
    detail: z.string(),
    requestId: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });

const retryAfter = z.object({
  'Retry-After': z.int().min(1).meta({ description: 'Seconds to wait before the request is sent again' }),
});

/** Headers that come with every problem of a status. */
const headers: Readonly<Record<number, z.ZodObject>> = {
  401: z.object({ 'WWW-Authenticate': z.string().meta({ description: 'Scheme of the credential' }) }),
  429: retryAfter,
  503: retryAfter,
};

/** The response of each status of a problem, which all operations share. */
const responses: ReadonlyMap<number, ZodOpenApiResponseObject> = new Map(
  Object.values(problems).map(({ status }) => [status, responseOf(status)]),
);

function responseOf(status: number): ZodOpenApiResponseObject {
  const named = Object.entries(problems).filter(([, problem]) => problem.status === status);
  const [code, { title }] = named[0]!;
  const example = { ...problemExample, type: `urn:stratalog:problem:${code}`, title, status, code };
  return {
    id: `Problem${status}`,
    description: named.map(([name, problem]) => `\`${name}\`: ${problem.title}`).join('. '),
    ...(headers[status] && { headers: headers[status] }),
    content: { 'application/problem+json': { schema: problemSchema, example } },
  };
}

/** What every call may be answered with: the request, its caller or its target is refused, or the server cannot answer. */
const common = [400, 401, 402, 403, 404, 408, 409, 417, 429, 431, 500, 503, 504];

/** The statuses of the problems of an operation, as OpenAPI documents them. */
export function problemResponses({ operation, body, options }: Binding): ZodOpenApiResponsesObject {
  const { command, expectedRevision, mustBeNew, input } = operation;
  const takesBody = command !== undefined || body !== undefined || options.streamedBody !== undefined;
  const statuses = [
    ...common,
    ...(takesBody ? [413, 415] : []),
    ...(command ? [422] : []),
    ...(expectedRevision || mustBeNew ? [412] : []),
    ...(expectedRevision === 'required' ? [428] : []),
    ...('asOf' in input.shape ? [422] : []),
  ];
  return Object.fromEntries([...new Set(statuses)].map((status) => [status, responses.get(status)!]));
}
