import { OpenAI } from 'openai';

export interface EndpointAddress {
  /** Up to and without the name of the call, for example `http://127.0.0.1:11434/v1`. */
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
}

/** The package's client without its own retries, settings from the environment and words on the console. */
export function openAiClient({ baseURL, apiKey }: EndpointAddress): OpenAI {
  return new OpenAI({
    baseURL,
    // The package insists on a key; local endpoints do not look at it.
    apiKey: apiKey ?? 'none',
    organization: null,
    project: null,
    logLevel: 'off',
    maxRetries: 0,
  });
}
