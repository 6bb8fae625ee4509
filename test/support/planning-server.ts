import { afterAll, beforeEach } from 'vitest';
import { says, scriptedLanguageModel, type ScriptedLanguageModel } from './scripted-language-model.ts';
import { type TestServer } from './server.ts';
import { useServer } from './use-server.ts';

export const apiKey = 'sesame-of-the-endpoint';

/**
 * A server for all tests of a file, with a scripted language model that is only used for plans: `large` plans questions,
 * and `small` plans their parts if `subModel` names it. At the beginning of each test it answers an empty object.
 */
export async function usePlanningServer({ subModel }: { readonly subModel?: string } = {}): Promise<{
  llm: ScriptedLanguageModel;
  server: TestServer;
}> {
  const llm = await scriptedLanguageModel(['large', 'small']);
  afterAll(() => llm.close());
  const server = useServer({
    because: 'is configured with a language model',
    environment: {
      STRATALOG_LLM_BASE_URL: llm.baseURL,
      STRATALOG_LLM_API_KEY: apiKey,
      STRATALOG_LLM_MODEL: 'large',
      ...(subModel !== undefined && { STRATALOG_LLM_SUB_MODEL: subModel }),
      STRATALOG_REASONING: 'off',
    },
  });
  beforeEach(() => {
    llm.script();
    llm.otherwise(says({}));
    llm.requests.length = 0;
  });
  return { llm, server };
}
