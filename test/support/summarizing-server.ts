import { afterAll, beforeEach } from 'vitest';
import {
  fails,
  inputOf,
  says,
  scriptedLanguageModel,
  type ChatRequest,
  type ChatScript,
  type ScriptedLanguageModel,
} from './scripted-language-model.ts';
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
      STRATALOG_LLM_CHEAP_MODEL: 'gpt-4o-mini',
      STRATALOG_SUMMARY_TIMEOUT: '2',
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

interface AskedSummary {
  readonly number: number;
  readonly lengths: Readonly<Record<string, number>>;
  readonly memories: readonly { readonly number: number; readonly text: string }[];
}

/** The summaries that a request asks for. */
export const askedIn = (request: ChatRequest): readonly AskedSummary[] =>
  inputOf(request)['summaries'] as readonly AskedSummary[];

/** Writes `say` of each memory for each length. */
export const summarizes = (say: (text: string) => string = (text) => text): ChatScript =>
  says((request: ChatRequest) => ({
    summaries: askedIn(request).map(({ number, lengths, memories }) => ({
      number,
      texts: Object.keys(lengths).map((depth) => ({
        depth,
        sentences: memories.map((memory) => ({ text: say(memory.text), sources: [memory.number] })),
      })),
    })),
  }));
