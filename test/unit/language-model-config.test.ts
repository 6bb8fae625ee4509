import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';

const base = { STRATALOG_LLM_BASE_URL: 'http://127.0.0.1:11434/v1' };
const languageModel = (environment: Record<string, string>) => readConfig(environment).languageModel;

describe('[D5] the configuration of a language model', () => {
  it('is none by default', () => {
    expect(languageModel({})).toBeUndefined();
  });

  it('is one model for whole questions and parts, unless another one is set for parts', () => {
    const one = { ...base, STRATALOG_LLM_MODEL: 'large' };
    const { STRATALOG_LLM_BASE_URL: baseURL } = base;
    expect(languageModel(one)).toEqual({
      baseURL,
      apiKey: undefined,
      models: { root: 'large', sub: 'large' },
      cheapModel: 'large',
      spaceModels: [],
      thoughtTokens: 4_000,
    });
    const two = { ...one, STRATALOG_LLM_SUB_MODEL: 'small', STRATALOG_LLM_API_KEY: 'sesame' };
    expect(languageModel(two)).toEqual({
      baseURL,
      apiKey: 'sesame',
      models: { root: 'large', sub: 'small' },
      cheapModel: 'large',
      spaceModels: [],
      thoughtTokens: 4_000,
    });
    expect(languageModel({ ...one, STRATALOG_LLM_CHEAP_MODEL: 'small' })).toMatchObject({
      cheapModel: 'small',
    });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['without a model', base, /^STRATALOG_LLM_MODEL: is missing/],
    [
      'with a model alone',
      { STRATALOG_LLM_MODEL: 'm' },
      /^STRATALOG_LLM_BASE_URL: is missing: STRATALOG_LLM_MODEL/,
    ],
    ['with a key alone', { STRATALOG_LLM_API_KEY: 'k' }, /^STRATALOG_LLM_BASE_URL: .* STRATALOG_LLM_API_KEY/],
    [
      'with no URL',
      { STRATALOG_LLM_BASE_URL: 'localhost:1', STRATALOG_LLM_MODEL: 'm' },
      /^STRATALOG_LLM_BASE_URL: must be a URL/,
    ],
    [
      'with a password in its URL',
      { STRATALOG_LLM_BASE_URL: 'https://u:secret@models.test/v1', STRATALOG_LLM_MODEL: 'm' },
      /^STRATALOG_LLM_BASE_URL: must not contain a user or password: set STRATALOG_LLM_API_KEY instead$/,
    ],
  ])('[J8] reports an error %s', (_, environment, message) => {
    expect(() => languageModel(environment)).toThrow(ConfigError);
    expect(() => languageModel(environment)).toThrow(message);
  });
});
