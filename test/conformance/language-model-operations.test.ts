import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SearchTenant, comparison } from '../support/search-tenant.ts';
import { stratalog } from '../support/cli.ts';
import { metricsOf } from '../support/metrics.ts';
import { apiKey, usePlanningServer } from '../support/planning-server.ts';
import { fails, says } from '../support/scripted-language-model.ts';

const proposal = {
  aggregation: 'combine',
  parts: [
    { query: 'pause', conditions: [{ field: 'scope.org', operator: 'eq', value: 'search' }], follow: null },
  ],
};

const { llm, server } = await usePlanningServer();

describe('monitoring of language models', () => {
  it('[J7] counts calls, requests and tokens and times them by model, purpose and outcome', async () => {
    const tenant = await SearchTenant.create(server);
    llm.otherwise(says(proposal));
    await tenant.ask(comparison);
    const now = await metricsOf(server);
    const call = 'model="large",purpose="plan"';
    expect(now.get(`stratalog_language_model_call_total{${call},outcome="answered"}`)).toBeGreaterThan(0);
    expect(now.get(`stratalog_language_model_request_total{${call}}`)).toBeGreaterThan(0);
    expect(now.get(`stratalog_language_model_tokens_total{${call},direction="input"}`)).toBeGreaterThan(99);
    expect(now.get(`stratalog_language_model_tokens_total{${call},direction="output"}`)).toBeGreaterThan(19);
    expect(now.get(`stratalog_language_model_duration_count{${call},outcome="answered"}`)).toBeGreaterThan(0);
    expect([...now.keys()].join('\n')).not.toContain(tenant.name);
  });

  it('[I5] logs failures without the key, the question or what the endpoint wrote', async () => {
    const tenant = await SearchTenant.create(server);
    // The endpoint repeats the request in its answer.
    llm.otherwise(fails(500));
    await tenant.ask(comparison);
    await expect
      .poll(() => server.log.filter((line) => line.includes('the rules planned')).length, { timeout: 10_000 })
      .toBeGreaterThan(0);
    const log = server.log.join('\n');
    for (const secret of [apiKey, comparison, 'retry policies', 'bad:']) expect(log).not.toContain(secret);
  });
});

describe('start checks', () => {
  it('[J8] serve with half of the settings names the missing one', async () => {
    const result = await stratalog(['serve'], { STRATALOG_LLM_BASE_URL: llm.baseURL });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/STRATALOG_LLM_MODEL: is missing/);
    expect(result.stderr).not.toMatch(/\n {4}at /);
  });

  it.each([
    ['has the models', {}, /^ok .*large at http:\/\/127\.0\.0\.1:\d+\/v1$/],
    [
      'lacks one of the models',
      { STRATALOG_LLM_SUB_MODEL: 'tiny' },
      /FAIL llm .* has no model tiny: set STRATALOG_LLM_MODEL/,
    ],
  ])('[J8] doctor reports in one line that the endpoint answers and %s', async (_, more, line) => {
    const { stdout } = await stratalog(['doctor'], {
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_DATA: path.join(server.dataDir, 'doctor'),
      STRATALOG_PORT: '0',
      STRATALOG_LLM_BASE_URL: llm.baseURL,
      STRATALOG_LLM_API_KEY: apiKey,
      STRATALOG_LLM_MODEL: 'large',
      ...more,
    });
    expect(stdout.split('\n').find((one) => / llm /.test(one))).toMatch(line);
    expect(llm.requests).toEqual([]);
  });
});
