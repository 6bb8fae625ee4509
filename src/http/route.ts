import type { Context } from 'koa';
import { z } from 'zod';
import type { CommandContext } from '../commands/context.ts';
import type { TenantContext } from '../domain/access/context.ts';
import type { Problem } from '../domain/problems.ts';
import type { Services } from '../services.ts';

/** One call of the API: the schemas that validate it are the ones that document it. */
export interface Route<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Params extends z.ZodType = z.ZodType,
> {
  readonly method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** With `:name` for parameters. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Shown in the OpenAPI document; of a streamed body its text. */
  readonly bodyExample?: unknown;
  /** The body may be left out: then it is `{}`. */
  readonly bodyOptional?: boolean;
  /** Media type of the body; `application/json` if nothing else is said. */
  readonly accepts?: readonly string[];
  /** Changes something: takes Idempotency-Key, X-Reason and X-Cause. */
  readonly command?: boolean;
  readonly takesIfMatch?: 'required' | 'optional';
  /** Reads the body itself, as a stream. */
  readonly streamsBody?: boolean;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  handle(call: Call<z.infer<Query>, z.infer<Body>, z.infer<Params>>, services: Services): Promise<Answer>;
}

export interface ResponseSpec {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly contentType?: string;
  /** Shown in the OpenAPI document. */
  readonly example: unknown;
}

/** A request that was authenticated and validated. */
export interface Call<Query, Body, Params> {
  readonly caller: TenantContext;
  /** Whether the credential would still be taken: for answers that outlast the second in which it was. */
  readonly isStillValid: () => Promise<boolean>;
  /** The same for what cannot just end. Throws `unauthenticated`. */
  readonly assertStillValid: () => Promise<void>;
  /** Aborted when the server stops: an answer that would go on for ever ends then. */
  readonly closing: AbortSignal;
  readonly query: Query;
  readonly body: Body;
  readonly params: Params;
  readonly context: CommandContext;
  /** What the caller is told of an error that fails a part of the request. Logged, of each kind the first. */
  readonly failure: (error: unknown) => Problem;
  readonly requestId: string;
  readonly koa: Context;
}

export interface Answer {
  readonly status: number;
  /** JSON, or a stream for NDJSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly replayed?: boolean;
}

/** Of a call that takes no more than its path says. */
export const emptyBody = { body: z.strictObject({}), bodyExample: {}, bodyOptional: true } as const;

/** Keeps the types of a route's schemas for its handler. */
export function route<Query extends z.ZodType, Body extends z.ZodType, Params extends z.ZodType>(
  definition: Route<Query, Body, Params>,
): Route {
  return definition;
}
