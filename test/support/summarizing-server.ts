import { afterAll, beforeEach } from 'vitest';
import { fails, scriptedLanguageModel, type ScriptedLanguageModel } from './scripted-language-model.ts';
import type { TestServer } from './server.ts';
import { useServer } from './use-server.ts';

/**
 * A server for all tests of a file, with a scripted language model that writes summaries. At the beginning of each test it fails
 * every request.
 */
export async function useSummarizingServer(
  environment: Readonly<Record<string, string>> = {},
): Promise<{ llm: ScriptedLanguageModel; server: TestServer }> {
  const llm = await scriptedLanguageModel(['gpt-4o', 'gpt-4o-mini']);
  afterAll(() => llm.close());
  const server = useServer({
    because: 'is configured with a language model',
    environment: {
      STRATALOG_LLM_BASE_URL: llm.baseURL,
      STRATALOG_LLM_MODEL: 'gpt-4o',
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_SUMMARY_WINDOW: '2',
      ...environment,
    },
  });
  beforeEach(() => {
    llm.script();
    llm.otherwise(fails(400));
    llm.requests.length = 0;
  });
  return { llm, server };
}
