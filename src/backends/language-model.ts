import { openAiClient } from '../adapters/openai/client.ts';
import { OpenAiLanguageModel } from '../adapters/openai/language-model.ts';
import { RateGates } from '../adapters/openai/rate-gate.ts';
import type { RetryLimits } from '../adapters/openai/retries.ts';
import { modelsAt } from '../adapters/openai/models-at.ts';
import type { Config } from '../config.ts';
import { LanguageModelFailed, type LanguageModel } from '../ports/language-model.ts';
import { withTimeLimit } from '../support/resilience/time-limit.ts';

type Endpoint = NonNullable<Config['languageModel']>;

/** Summaries, lessons and plans are written by models of one endpoint: if it limits one of them, the others wait too. */
const gates = new RateGates();

const inspectionMs = 10_000;
/** Maximum number of models named in the error, which is one line. */
const namedModels = 10;

/** The language models that the program is configured with, those of spaces last. */
export function modelNames({ languageModel }: Pick<Config, 'languageModel'>): readonly string[] {
  if (!languageModel) return [];
  const { models, cheapModel, spaceModels } = languageModel;
  return [...new Set([models.root, models.sub, cheapModel, ...spaceModels])];
}

/** Does not contact the endpoint yet. Undefined if none is configured. */
export function openLanguageModel(
  { languageModel }: Config,
  limits?: Partial<RetryLimits>,
): LanguageModel | undefined {
  return languageModel && new OpenAiLanguageModel({ ...languageModel, gates, ...(limits && { limits }) });
}

/** Describes the endpoint in one line. Rejects with `LanguageModelFailed` if it does not answer or lacks a model. */
export async function inspectLanguageModel(endpoint: Endpoint): Promise<string> {
  const { baseURL } = endpoint;
  const wanted = modelNames({ languageModel: endpoint });
  const names = wanted.join(' and ');
  const listed = await listModels(endpoint);
  if (listed === undefined) return `${baseURL} answers and lists no models, so ${names} was not looked for`;
  const missing = wanted.filter((name) => !listed.includes(name) && !listed.includes(`${name}:latest`));
  if (missing.length === 0) return `${names} at ${baseURL}`;
  const some = listed.slice(0, namedModels).join(', ') + (listed.length > namedModels ? ', …' : '');
  throw new LanguageModelFailed(
    'misconfigured',
    `${baseURL} has no model ${missing.join(' and ')}: set STRATALOG_LLM_MODEL, STRATALOG_LLM_SUB_MODEL and STRATALOG_LLM_CHEAP_MODEL to what it has (${some || 'none'})`,
  );
}

async function listModels(endpoint: Endpoint): Promise<string[] | undefined> {
  try {
    return await withTimeLimit(inspectionMs, undefined, (signal) => modelsAt(openAiClient(endpoint), signal));
  } catch (error) {
    if (!(error instanceof LanguageModelFailed)) throw error;
    const { failure, message } = error;
    throw new LanguageModelFailed(
      failure,
      `${message}: check STRATALOG_LLM_BASE_URL and STRATALOG_LLM_API_KEY`,
    );
  }
}
