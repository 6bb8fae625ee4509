import { z } from 'zod';
import { ConfigError, endpointUrl, integer, url } from './config-values.ts';

/** Settings of embedding models and language models, and of what language models may do. */
export const modelSettings = {
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
};

type Settings = z.infer<z.ZodObject<typeof modelSettings>>;

export interface ModelsConfig {
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
  /** Time-out of a call that writes summaries or a lesson. */
  readonly summaryTimeoutMs: number;
  /** Time in which the summaries of a scope are generated at most once. */
  readonly summaryWindowMs: number;
}

/** Throws `ConfigError` if a setting is missing that another one needs. */
export function modelsOf(values: Settings): ModelsConfig {
  return {
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
    summaryWindowMs: values.STRATALOG_SUMMARY_WINDOW * 1_000,
  };
}

function embedderOf(values: Settings): ModelsConfig['embedder'] {
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

function languageModelOf(values: Settings): ModelsConfig['languageModel'] {
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
