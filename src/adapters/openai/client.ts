import { OpenAI } from 'openai';

export interface EndpointAddress {
  /** The URL without the name of the call, for example `http://127.0.0.1:11434/v1`. */
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
}

/** The client of the `openai` package without retries, settings from the environment and console output. */
export function openAiClient({ baseURL, apiKey }: EndpointAddress): OpenAI {
  return new OpenAI({
    baseURL,
    // The package requires a key; local endpoints ignore it.
    apiKey: apiKey ?? 'none',
    organization: null,
    project: null,
    logLevel: 'off',
    maxRetries: 0,
  });
}
