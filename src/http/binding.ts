import type { Context } from 'koa';
import { z } from 'zod';
import type { Operation } from '../api/operation.ts';
import { queryParameter } from './wire.ts';

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

/** How HTTP serves an operation, apart from method and path: where the fields of its input are, and its response. */
export interface BindingOptions<Output = unknown> {
  readonly success: { readonly status: number; readonly description: string; readonly contentType?: string };
  /** The response to a command that stores or replaces, if it stored something new. */
  readonly created?: { readonly status: number; readonly description: string };
  /** Input fields by path parameter, where the names differ. */
  readonly rename?: Readonly<Record<string, string>>;
  /** A path parameter that is a text of the caller's own: escapes in it that are not UTF-8 are refused. */
  readonly textInPath?: string;
  /** A path parameter that the body may repeat. */
  readonly repeatedInBody?: string;
  /** Input fields that are query parameters. */
  readonly query?: readonly string[];
  /** Query parameters whose items may be separated by commas. */
  readonly commas?: readonly string[];
  /** The body may be left out; it is `{}` then. */
  readonly bodyOptional?: boolean;
  /** Media types of the body; `application/json` by default. */
  readonly accepts?: readonly string[];
  /** Input field with the file of the body, which may also be `multipart/form-data`. */
  readonly multipart?: string;
  /** Size of a body in bytes; 8,000,000 by default. */
  readonly maxBodyBytes?: number;
  /** Input field that is read from the body as a stream. */
  readonly streamedBody?: { readonly field: string; readonly read: (request: Context['req']) => unknown };
  /** Input field that depends on the media type that the client prefers, unless a query parameter has it. */
  readonly negotiated?: {
    readonly field: string;
    readonly json: unknown;
    readonly ndjson: unknown;
    readonly csv: unknown;
  };
  /** How far a streamed response is read ahead of a slow client. */
  readonly readAhead?: { readonly highWaterMark: number; readonly objectMode?: boolean };
  /** The response has an ETag: a client that has it already, by `If-None-Match`, gets 304 without a body. */
  readonly revalidates?: true;
  headers?(output: Output): Readonly<Record<string, string>>;
}

/** An operation as HTTP serves it. */
export interface Binding {
  readonly operation: Operation;
  readonly method: Method;
  /** The path, with `:name` for parameters. */
  readonly path: string;
  readonly params: z.ZodObject | undefined;
  readonly query: z.ZodObject | undefined;
  readonly body: z.ZodObject | undefined;
  readonly options: BindingOptions;
}

/** Input fields that come from a header, by their own rule. */
const headerFields = ['expectedRevision', 'mustBeNew'];

/** The body holds the arguments of a command, or the whole input. Throws if no part of the request holds a field of the input. */
export function bind<Input extends z.ZodObject, Output>(
  operation: Operation<Input, Output>,
  method: Method,
  path: string,
  options: BindingOptions<Output>,
): Binding {
  const shape = operation.input.shape as Readonly<Record<string, z.ZodType>>;
  const { rename = {}, query = [], commas = [], streamedBody, negotiated } = options;
  const inPath = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name!);
  const elsewhere = new Set<string | undefined>([
    ...inPath.map((name) => rename[name] ?? name),
    ...query,
    ...headerFields,
    streamedBody?.field,
    options.multipart,
    negotiated?.field,
  ]);
  const inBody = Object.keys(shape).filter((field) => !elsewhere.has(field));
  const body = bodyOf(operation, inBody);
  const part = (names: readonly string[], schemaOf: (name: string) => z.ZodType) =>
    names.length === 0
      ? undefined
      : z.strictObject(Object.fromEntries(names.map((name) => [name, schemaOf(name)])));
  return {
    operation,
    method,
    path,
    params: part(inPath, (name) => shape[rename[name] ?? name]!),
    query: part(query, (name) => queryParameter(shape[name]!, { commas: commas.includes(name) })),
    body,
    options,
  };
}

function bodyOf({ name, input, command }: Operation, fields: readonly string[]): z.ZodObject | undefined {
  const args = command?.arguments;
  const body = args ?? (fields.length > 0 ? withFields(input, fields) : undefined);
  const given = Object.keys(body?.shape ?? {});
  const missing = fields.filter((field) => !given.includes(field));
  if (missing.length > 0 || given.length > fields.length)
    throw new Error(`the body of ${name} has ${given.join(', ')} instead of ${fields.join(', ')}`);
  return body;
}

/** The input, or the part of it that has these fields if others are in the path. */
function withFields(input: z.ZodObject, fields: readonly string[]): z.ZodObject {
  const shape = Object.entries(input.shape);
  return shape.length === fields.length
    ? input
    : z.strictObject(Object.fromEntries(shape.filter(([field]) => fields.includes(field))));
}

/** The example of an operation's input, as far as it is in the body. */
export function bodyExampleOf({ operation, body }: Binding): unknown {
  const { input } = operation.examples;
  if (typeof input === 'string') return input;
  const fields = Object.keys(body?.shape ?? {});
  return Object.fromEntries(Object.entries(input).filter(([field]) => fields.includes(field)));
}
