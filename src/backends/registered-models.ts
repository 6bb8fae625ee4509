import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ConfigError, url } from '../config-values.ts';
import { inOwnWords } from '../domain/input/issue-words.ts';

const variable = 'STRATALOG_EMBEDDING_MODELS';

const line = z.strictObject({ intercept: z.number(), slope: z.number().positive() });

/** Calibration, as `npm run fit:ranking` prints it. */
const scale = z.strictObject({
  fusion: z.strictObject({
    lexical: z.number().nonnegative(),
    nearCosine: z.number(),
    nearGain: z.number().nonnegative(),
    overlap: z.number().nonnegative(),
    speaker: z.strictObject({ asker: z.number(), named: z.number() }),
    dated: z.number(),
  }),
  both: line,
  denseOnly: line,
  lexicalOnly: line,
});

const common = {
  /** Part of a table name; new weights need a new id. */
  id: z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/, 'must be 1 to 40 of a-z, 0-9, ., _ and -'),
  /** Limited by the vector index. */
  dimension: z.int().min(1).max(2_000),
  prefix: z.strictObject({ query: z.string().default(''), passage: z.string().default('') }).optional(),
  scale: scale.optional(),
};

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');

/** A folder with `model.onnx` and `tokenizer.json`, relative to the folder of models unless the path is absolute. */
const ofFiles = z.strictObject({
  ...common,
  folder: z.string().min(1),
  pooling: z.enum(['first', 'mean']),
  longest: z.int().min(8).max(8_192).default(512),
  sha256: z.strictObject({ 'model.onnx': sha256, 'tokenizer.json': sha256 }).optional(),
});

/** An OpenAI-compatible endpoint. */
const ofEndpoint = z.strictObject({
  ...common,
  baseURL: url('http:', 'https:'),
  model: z.string().min(1),
  apiKey: z.string().min(1).optional(),
});

export type Registration = z.infer<typeof ofFiles> | z.infer<typeof ofEndpoint>;

/** Parses `text`, which is a JSON list or the path of one. Throws `ConfigError` with what is wrong. */
export function readRegistrations(text: string | undefined): readonly Registration[] {
  if (text === undefined) return [];
  const list = parse(text);
  if (!Array.isArray(list)) throw new ConfigError(`${variable}: must be a JSON list`);
  return (list as unknown[]).map((entry, index) => {
    const isOfFiles = typeof entry === 'object' && entry !== null && 'folder' in entry;
    const parsed = (isOfFiles ? ofFiles : ofEndpoint).safeParse(entry, { error: inOwnWords });
    if (parsed.success) return parsed.data;
    const [{ path: place, message } = { path: [], message: 'is not valid' }] = parsed.error.issues;
    throw new ConfigError(`${variable}: ${[index, ...place].join('.')}: ${message}`);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.trimStart().startsWith('[') ? text : readFileSync(path.resolve(text), 'utf8'));
  } catch (error) {
    throw new ConfigError(`${variable}: ${(error as Error).message}`);
  }
}
