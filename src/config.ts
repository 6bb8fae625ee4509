import path from 'node:path';
import { z } from 'zod';
import { clusterOf, clusterSettings, type ClusterConfig } from './config-cluster.ts';
import { ceilingsOf, limitSettings, turnsOf } from './config-limits.ts';
import { sourceSettings, sourcesOf, type SourcesConfig } from './config-sources.ts';
import { tlogOf, tlogSettings, type TlogConfig } from './config-tlog.ts';
import {
  ConfigError,
  endpointUrl,
  integer,
  isKeySetOrAddress,
  list,
  postgresUrl,
  secret,
  url,
} from './config-values.ts';
import type { Ceilings } from './domain/admission/ceilings.ts';
import type { TurnOptions } from './domain/admission/turn-options.ts';
import { inOwnWords } from './domain/input/issue-words.ts';
import { environments, processRoles, profiles, type Environment, type ProcessRole } from './profiles.ts';

export { ConfigError } from './config-values.ts';

/** All environment variables. The configuration reference is generated from their descriptions. */
export const settings = z.object({
  STRATALOG_PROFILE: z
    .enum(profiles)
    .default('embedded')
    .describe('Where data is stored: embedded in this process, or on servers'),
  STRATALOG_ENV: z
    .enum(environments)
    .default('development')
    .describe(
      'What this installation is for. It changes nothing that the server does; the console marks production on every page',
    ),
  STRATALOG_ROLES: z
    .string()
    .default('')
    .transform(list)
    .pipe(z.array(z.enum(processRoles)))
    .describe('Roles of this process, comma separated: api, relay, projector, worker. Default: all'),
  STRATALOG_DATA: z
    .string()
    .min(1)
    .default('./.stratalog')
    .describe('Folder for the data of the profile embedded and for the vault key'),
  STRATALOG_HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  STRATALOG_PORT: integer(0, 65_535)
    .optional()
    .describe(
      'Port to listen on; 0 means any free port. Default: 8080, or a free port for the health endpoints of a process without the role api',
    ),
  STRATALOG_METRICS_PORT: integer(0, 65_535)
    .optional()
    .describe(
      'Port of its own for `/metrics`, with `/livez` and `/readyz`, without a credential; the port of the API then has no metrics. Default: the port of the API, where a host other than loopback needs a key of role operator, auditor or admin',
    ),
  STRATALOG_CONSOLE: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether the web console is served at `/console` on the port of the API'),
  // Sent as a bearer token in a header, so only visible ASCII is allowed.
  STRATALOG_MASTER_KEY: secret(16)
    .regex(/^[\x21-\x7e]*$/, 'must be of visible ASCII characters, without spaces and line ends')
    .optional()
    .describe('Key that may only create tenants and keys; setting it turns the development identity off'),
  STRATALOG_VAULT_KEY: secret(40)
    .optional()
    .describe('Key of the key vault, 32 bytes in base64. Default: the file vault.key in the data folder'),
  STRATALOG_POSTGRES_URL: postgresUrl()
    .default('postgres://stratalog:stratalog@127.0.0.1:54329/stratalog')
    .describe(
      'URL of PostgreSQL 18 with the extension vector, and in the profile postgres also pg_textsearch. TLS: `?sslmode=verify-full&sslrootcert=/path/ca.pem`',
    ),
  ...clusterSettings,
  STRATALOG_EMBEDDER: z
    .enum(['onnx', 'openai', 'deterministic'])
    .default('onnx')
    .describe(
      'Embedder for a new data folder; an existing folder keeps its own. onnx: the bundled multilingual model, or the one named in STRATALOG_EMBEDDING_MODEL; openai: any OpenAI-compatible endpoint; deterministic: for load tests, not for retrieval',
    ),
  STRATALOG_EMBEDDING_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Embedding model of a new data folder; an existing one keeps its model: multilingual-e5-small (the default), bge-small-en-v1.5 for English alone, another registered model, or the model of the endpoint, such as text-embedding-3-small',
    ),
  STRATALOG_EMBEDDING_MODELS: z
    .string()
    .min(1)
    .optional()
    .describe('Additional embedding models: a JSON list, or the path of a file that contains it'),
  STRATALOG_EMBEDDING_MODELS_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of models that are not included, with one subfolder per model, such as e5-small-v2/model.onnx',
    ),
  STRATALOG_EMBEDDING_BASE_URL: url('http:', 'https:')
    .optional()
    .describe('Base URL of the embedding endpoint, such as https://api.openai.com/v1'),
  STRATALOG_EMBEDDING_DIMENSION: integer(1, 2_000)
    .optional()
    .describe(
      'Dimension of the vectors of the embedding endpoint, such as 1536. Default: the endpoint is asked, so a new database cannot start until the endpoint responds',
    ),
  STRATALOG_EMBEDDING_API_KEY: z.string().min(1).optional().describe('API key of the embedding endpoint'),
  STRATALOG_EMBEDDING_WORKERS: integer(1, 64)
    .optional()
    .describe('Number of threads that embed texts with one model. Default: one per core'),
  STRATALOG_LLM_BASE_URL: endpointUrl('STRATALOG_LLM_API_KEY')
    .optional()
    .describe(
      'Base URL of an OpenAI-compatible endpoint with a language model, such as https://api.openai.com/v1 or http://127.0.0.1:11434/v1. Optional. It receives complex questions with the tenant’s fields and values that they mention, the memories that it summarizes, and the attempts that it draws lessons from',
    ),
  STRATALOG_LLM_API_KEY: z.string().min(1).optional().describe('API key of the language model endpoint'),
  STRATALOG_LLM_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Language model that splits whole questions and writes summaries and lessons, such as gpt-4.1 or qwen3:4b',
    ),
  STRATALOG_LLM_SUB_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe('Language model that splits the parts of questions again. Default: STRATALOG_LLM_MODEL'),
  STRATALOG_LLM_CHEAP_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Language model that writes the summaries and lessons of the layers company and org, such as gpt-4.1-mini. Default: STRATALOG_LLM_MODEL',
    ),
  STRATALOG_LLM_SPACE_MODELS: z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(z.array(z.string().min(1)))
    .optional()
    .describe(
      'Further language models of the endpoint, separated by commas, that [spaces](../guides/spaces.md#models) may name, such as gpt-4.1-mini,gpt-4.1-nano',
    ),
  STRATALOG_LLM_THOUGHT_TOKENS: integer(0, 100_000)
    .default(4_000)
    .describe(
      'Tokens for the thoughts of a language model that thinks before it answers, such as qwen3:4b. They are added to the limit of an answer once such a model has used it up without answering, and reserved in the budget',
    ),
  STRATALOG_PRICES: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with prices of models, in US dollars for a million tokens, such as {"my-model": {"input": 0.1, "output": 0.4}}. They are added to the known prices or replace them',
    ),
  STRATALOG_ROUTING: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether complex questions are decomposed. off: every question takes the standard route, whatever the settings of its tenant',
    ),
  STRATALOG_REASONING: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether the search texts of complex questions are refined. off: their plans are searched unchanged, whatever the settings of the tenant',
    ),
  STRATALOG_SUMMARIES: z
    .enum(['model', 'extractive'])
    .default('model')
    .describe(
      'Whether the language model writes the summaries, if one is configured. extractive: no memories are sent to it, whatever the settings of the tenant',
    ),
  STRATALOG_SUMMARY_TIMEOUT: integer(1, 600)
    .default(60)
    .describe(
      'Seconds that a language model may take to write summaries or a lesson; then they are made without it',
    ),
  STRATALOG_LESSONS: z
    .enum(['model', 'rules'])
    .default('model')
    .describe(
      'Whether the language model writes the lessons of attempts, if one is configured. rules: no attempts are sent to it, whatever the settings of the tenant',
    ),
  STRATALOG_SUMMARY_WINDOW: integer(1, 86_400)
    .default(300)
    .describe(
      'Seconds in which the summaries of a scope are generated at most once, however many changes it has',
    ),
  STRATALOG_OUTCOME_WINDOW: integer(1, 604_800)
    .default(1_800)
    .describe('Seconds after which a search in a session counts as ignored if none of its results was used'),
  ...tlogSettings,
  ...sourceSettings,
  ...limitSettings,
  STRATALOG_ERASED_FILES_WITHIN: integer(1, 2_592_000)
    .default(3_600)
    .describe(
      'Seconds within which the files of the database are rewritten after an erasure, so that they have no byte left of it',
    ),
  STRATALOG_JWT_ISSUER: z.string().min(1).optional().describe('Issuer of accepted JWTs'),
  STRATALOG_JWT_AUDIENCE: z.string().min(1).optional().describe('Audience that accepted JWTs must name'),
  STRATALOG_JWT_JWKS: z
    .string()
    .refine(isKeySetOrAddress, 'must be an http or https URL or a JSON Web Key Set')
    .optional()
    .describe('Keys that verify JWTs: the URL of a JSON Web Key Set, or the key set itself'),
  STRATALOG_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level of messages that are logged'),
});

type Settings = z.infer<typeof settings>;

export interface Config extends ClusterConfig {
  readonly profile: (typeof profiles)[number];
  readonly environment: Environment;
  /** Roles of this process; never empty. */
  readonly roles: readonly ProcessRole[];
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** Port of the metrics; undefined: that of the API. */
  readonly metricsPort: number | undefined;
  /** Whether the API serves the web console. */
  readonly console: boolean;
  readonly masterKey: string | undefined;
  readonly vaultKey: string | undefined;
  readonly postgresUrl: string;
  readonly embedder:
    | { readonly kind: 'onnx'; readonly model: string | undefined }
    | {
        readonly kind: 'openai';
        readonly baseURL: string;
        readonly apiKey: string | undefined;
        readonly model: string;
        /** If undefined, the embedder sends a request to the endpoint to find it out. */
        readonly dimension: number | undefined;
      }
    | { readonly kind: 'deterministic' };
  readonly embeddingModels: {
    /** A JSON list, or the path of a file with one. */
    readonly registered: string | undefined;
    readonly directory: string | undefined;
    /** Threads per model; if undefined, one per core. */
    readonly workers: number | undefined;
  };
  /** Undefined if none is configured; everything works without one. */
  readonly languageModel:
    | {
        readonly baseURL: string;
        readonly apiKey: string | undefined;
        readonly models: { readonly root: string; readonly sub: string };
        /** Writes the summaries and lessons of the layers company and org. */
        readonly cheapModel: string;
        /** Further models that spaces may name. */
        readonly spaceModels: readonly string[];
        /** Tokens for the thoughts of a model that thinks before it answers. */
        readonly thoughtTokens: number;
      }
    | undefined;
  /** Path of a file with prices of models. */
  readonly pricesFile: string | undefined;
  /** Whether complex questions may be decomposed; `false` overrides the tenants' settings. */
  readonly routing: boolean;
  /** Whether a language model may refine how complex questions are searched; `false` overrides the tenants' settings. */
  readonly reasoning: boolean;
  /** Whether a language model may write summaries. */
  readonly abstractiveSummaries: boolean;
  /** Whether a language model may write lessons. */
  readonly writtenLessons: boolean;
  /** Of a call that writes summaries or a lesson. */
  readonly summaryTimeoutMs: number;
  readonly summaryWindowMs: number;
  readonly outcomeWindowMs: number;
  readonly tlog: TlogConfig;
  readonly sources: SourcesConfig;
  /** How many costly requests a process works on at a time, and how many may wait. */
  readonly turns: TurnOptions;
  /** How many costly calls of each kind a credential may have under way. */
  readonly ceilings: Ceilings;
  /** Events by which vectors may lag before bulk stores are held back. */
  readonly maxVectorLag: number;
  readonly erasedFilesWithinMs: number;
  readonly jwt: { readonly issuer: string; readonly audience: string; readonly jwks: string } | undefined;
  readonly logLevel: Settings['STRATALOG_LOG_LEVEL'];
}

/** Variables with our prefix that we do not define, usually misspelled. */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const ours = new Set([
    ...Object.keys(settings.shape),
    'STRATALOG_URL',
    'STRATALOG_API_KEY',
    'STRATALOG_ON_BEHALF_OF',
  ]);
  return Object.keys(environment).filter((name) => name.startsWith('STRATALOG_') && !ours.has(name));
}

/** Reads the environment. Throws `ConfigError` with the name of each invalid variable and the values that it accepts. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const own = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = settings.safeParse(own, { error: inOwnWords });
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path: [name], message }) => `${String(name)}: ${message}`);
    throw new ConfigError(faults.join('\n'));
  }
  const values = parsed.data;
  const roles = rolesOf(values);
  return {
    profile: values.STRATALOG_PROFILE,
    environment: values.STRATALOG_ENV,
    roles,
    dataDir: path.resolve(values.STRATALOG_DATA),
    host: values.STRATALOG_HOST,
    port: values.STRATALOG_PORT ?? (roles.includes('api') ? 8_080 : 0),
    metricsPort: values.STRATALOG_METRICS_PORT,
    console: values.STRATALOG_CONSOLE === 'on',
    masterKey: values.STRATALOG_MASTER_KEY,
    vaultKey: values.STRATALOG_VAULT_KEY,
    postgresUrl: values.STRATALOG_POSTGRES_URL,
    ...clusterOf(values),
    embedder: embedderOf(values),
    embeddingModels: {
      registered: values.STRATALOG_EMBEDDING_MODELS,
      directory: values.STRATALOG_EMBEDDING_MODELS_DIR,
      workers: values.STRATALOG_EMBEDDING_WORKERS,
    },
    languageModel: languageModelOf(values),
    pricesFile: values.STRATALOG_PRICES,
    routing: values.STRATALOG_ROUTING === 'on',
    reasoning: values.STRATALOG_REASONING === 'on',
    abstractiveSummaries: values.STRATALOG_SUMMARIES === 'model',
    writtenLessons: values.STRATALOG_LESSONS === 'model',
    summaryTimeoutMs: values.STRATALOG_SUMMARY_TIMEOUT * 1_000,
    outcomeWindowMs: values.STRATALOG_OUTCOME_WINDOW * 1_000,
    summaryWindowMs: values.STRATALOG_SUMMARY_WINDOW * 1_000,
    tlog: tlogOf(values),
    sources: sourcesOf(values),
    turns: turnsOf(values),
    ceilings: ceilingsOf(values),
    maxVectorLag: values.STRATALOG_MAX_VECTOR_LAG,
    erasedFilesWithinMs: values.STRATALOG_ERASED_FILES_WITHIN * 1_000,
    jwt: jwtOf(values),
    logLevel: values.STRATALOG_LOG_LEVEL,
  };
}

/** The named roles that the profile has, or all roles of the profile if none is named. */
function rolesOf({ STRATALOG_PROFILE: profile, STRATALOG_ROLES: named }: Settings): ProcessRole[] {
  const own = processRoles.filter((role) => role !== 'relay' || profile === 'cluster');
  if (named.length === 0) return own;
  const chosen = own.filter((role) => named.includes(role));
  if (chosen.length === 0) throw new ConfigError('STRATALOG_ROLES: only the profile cluster has a relay');
  if (profile === 'embedded' && chosen.length < own.length)
    throw new ConfigError(`STRATALOG_ROLES: the profile embedded is one process with ${own.join(', ')}`);
  return chosen;
}

function embedderOf(values: Settings): Config['embedder'] {
  switch (values.STRATALOG_EMBEDDER) {
    case 'onnx':
      return { kind: 'onnx', model: values.STRATALOG_EMBEDDING_MODEL };
    case 'deterministic':
      return { kind: 'deterministic' };
    case 'openai': {
      const { STRATALOG_EMBEDDING_BASE_URL: baseURL, STRATALOG_EMBEDDING_MODEL: model } = values;
      if (!baseURL || !model) {
        throw new ConfigError(
          'STRATALOG_EMBEDDER: openai needs STRATALOG_EMBEDDING_BASE_URL and STRATALOG_EMBEDDING_MODEL',
        );
      }
      const { STRATALOG_EMBEDDING_API_KEY: apiKey, STRATALOG_EMBEDDING_DIMENSION: dimension } = values;
      return { kind: 'openai', baseURL, model, apiKey, dimension };
    }
    default:
      return values.STRATALOG_EMBEDDER satisfies never;
  }
}

function languageModelOf(values: Settings): Config['languageModel'] {
  const { STRATALOG_LLM_BASE_URL: baseURL, STRATALOG_LLM_MODEL: root } = values;
  const { STRATALOG_LLM_SUB_MODEL: sub, STRATALOG_LLM_CHEAP_MODEL: cheap } = values;
  const { STRATALOG_LLM_API_KEY: apiKey } = values;
  if (baseURL && root)
    return {
      baseURL,
      apiKey,
      models: { root, sub: sub ?? root },
      cheapModel: cheap ?? root,
      spaceModels: values.STRATALOG_LLM_SPACE_MODELS ?? [],
      thoughtTokens: values.STRATALOG_LLM_THOUGHT_TOKENS,
    };
  if (baseURL)
    throw new ConfigError(
      'STRATALOG_LLM_MODEL: is missing: STRATALOG_LLM_BASE_URL needs the name of a model there',
    );
  const given = Object.entries({
    STRATALOG_LLM_MODEL: root,
    STRATALOG_LLM_SUB_MODEL: sub,
    STRATALOG_LLM_CHEAP_MODEL: cheap,
    STRATALOG_LLM_SPACE_MODELS: values.STRATALOG_LLM_SPACE_MODELS,
    STRATALOG_LLM_API_KEY: apiKey,
  }).find(([, value]) => value !== undefined);
  if (given)
    throw new ConfigError(
      `STRATALOG_LLM_BASE_URL: is missing: ${given[0]} needs it, such as https://api.openai.com/v1`,
    );
  return undefined;
}

function jwtOf(values: Settings): Config['jwt'] {
  const { STRATALOG_JWT_ISSUER: issuer, STRATALOG_JWT_AUDIENCE: audience, STRATALOG_JWT_JWKS: jwks } = values;
  if (!issuer && !audience && !jwks) return undefined;
  if (!issuer || !audience || !jwks) {
    throw new ConfigError(
      'STRATALOG_JWT_ISSUER, STRATALOG_JWT_AUDIENCE and STRATALOG_JWT_JWKS are set together or not at all',
    );
  }
  return { issuer, audience, jwks };
}
