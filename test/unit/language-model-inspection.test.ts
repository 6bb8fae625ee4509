import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectLanguageModel } from '../../src/backends/language-model.ts';
import { freePort } from '../support/free-port.ts';
import { scriptedLanguageModel, type ScriptedLanguageModel } from '../support/scripted-language-model.ts';

let llm: ScriptedLanguageModel;
beforeAll(async () => {
  llm = await scriptedLanguageModel(['large', 'small:latest']);
});
afterAll(() => llm.close());

const look = (models: { root: string; sub: string }, baseURL = llm.baseURL) =>
  inspectLanguageModel({
    baseURL,
    apiKey: 'sesame',
    models,
    cheapModel: models.root,
    spaceModels: [],
    thoughtTokens: 0,
  });

describe('[J8] the inspection of a language model endpoint', () => {
  it('names the available models, each once', async () => {
    expect(await look({ root: 'large', sub: 'large' })).toBe(`large at ${llm.baseURL}`);
    expect(await look({ root: 'large', sub: 'small' })).toBe(`large and small at ${llm.baseURL}`);
  });

  it('names the missing model, the available ones, and the settings', async () => {
    await expect(look({ root: 'large', sub: 'tiny' })).rejects.toThrow(
      /has no model tiny: set STRATALOG_LLM_MODEL, STRATALOG_LLM_SUB_MODEL and STRATALOG_LLM_CHEAP_MODEL .*\(large, small:latest\)$/,
    );
  });

  it('passes if the endpoint does not list models', async () => {
    const other = llm.baseURL.replace('/v1', '/other');
    expect(await look({ root: 'large', sub: 'large' }, other)).toBe(
      `${other} answers and lists no models, so large was not looked for`,
    );
  });

  it('says what to check if the endpoint does not answer', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}/v1`;
    await expect(look({ root: 'large', sub: 'large' }, nobody)).rejects.toThrow(
      `${nobody} cannot be reached (ECONNREFUSED): check STRATALOG_LLM_BASE_URL and STRATALOG_LLM_API_KEY`,
    );
    expect(llm.requests).toEqual([]);
  });
});
