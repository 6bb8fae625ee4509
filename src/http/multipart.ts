import { once } from 'node:events';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Context } from 'koa';
import { z } from 'zod';
import { invalid, Problem } from '../domain/problems.ts';
import { unlessStalled } from './stalls.ts';

const maxFields = 100;
const maxFieldBytes = 1_000_000;

export function isMultipart(koa: Context): boolean {
  return /^multipart\/form-data\b/i.test(koa.get('content-type'));
}

/**
 * Reads a multipart body: its file as `{bytes, filename, mediaType}` in the field `fileField`, and the other parts as the fields of `body`.
 * Lists and objects are JSON; a list may also be sent as one part for each item.
 */
export async function readMultipart(
  koa: Context,
  body: z.ZodObject,
  { fileField, maxBytes }: { readonly fileField: string; readonly maxBytes: number },
): Promise<Record<string, unknown>> {
  const sent = new Map<string, string[]>();
  const chunks: Buffer[] = [];
  let file: { readonly filename: string; readonly mediaType: string } | undefined;
  let problem: Problem | undefined;
  let size = 0;
  const parser = parserOf(koa, maxBytes);
  parser.on('field', (name, value, _, isCut) => {
    if (isCut) problem ??= invalid(name, `must have at most ${maxFieldBytes} bytes`);
    sent.set(name, [...(sent.get(name) ?? []), value]);
  });
  parser.on('file', (name, stream, filename, _, mediaType) => {
    if (name !== fileField || file) problem ??= invalid(name, `send one file, as the part ${fileField}`);
    file ??= { filename, mediaType };
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else
        problem ??= new Problem(
          'document-too-large',
          `a file may have at most ${maxBytes.toLocaleString('en')} bytes`,
        );
    });
  });
  parser.on('fieldsLimit', () => (problem ??= invalid('', `must have at most ${maxFields} parts`)));
  const finished = once(parser, 'finish');
  koa.req.pipe(parser);
  try {
    await unlessStalled(koa.req, finished);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem('malformed-request', 'the multipart body is malformed or not complete', {
      cause: error,
    });
  }
  if (problem) throw problem;
  const fields = [...sent].map(([name, values]) => [name, valueOf(body.shape[name], name, values)]);
  return {
    ...Object.fromEntries(fields),
    ...(file && { [fileField]: { ...named(file), bytes: Buffer.concat(chunks) } }),
  };
}

function parserOf(koa: Context, maxBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...koa.headers, 'content-type': koa.get('content-type') },
      limits: { fields: maxFields, fieldSize: maxFieldBytes, files: 2, fileSize: maxBytes + 1 },
    });
  } catch (error) {
    throw new Problem('malformed-request', 'the Content-Type of a multipart body needs its boundary', {
      cause: error,
    });
  }
}

/** Without what says nothing: a part without a type counts as octets. */
function named({ filename, mediaType }: { readonly filename: string; readonly mediaType: string }) {
  return {
    ...(filename && { filename }),
    ...(mediaType && mediaType !== 'application/octet-stream' && { mediaType }),
  };
}

/** Texts are as they were sent. */
function valueOf(schema: unknown, name: string, values: readonly string[]): unknown {
  const type = innermost(schema);
  const [value = ''] = values;
  if (type instanceof z.ZodArray && !value.startsWith('[')) return values;
  if (type === undefined || type instanceof z.ZodString) return value;
  if (type instanceof z.ZodEnum) return value;
  try {
    return JSON.parse(value);
  } catch {
    throw invalid(name, 'must be JSON');
  }
}

function innermost(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return innermost(schema.unwrap());
  if (schema instanceof z.ZodPipe) return innermost(schema.in);
  return schema;
}
