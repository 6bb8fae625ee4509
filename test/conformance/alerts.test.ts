import { readFile } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { clientWithKey, freshTenant } from '../support/api.ts';
import { metricsOf } from '../support/metrics.ts';
import { scriptedLanguageModel } from '../support/scripted-language-model.ts';
import { useServer } from '../support/use-server.ts';

const endpoint = await scriptedLanguageModel();
afterAll(() => endpoint.close());
const server = useServer({
  because: 'is configured with a language model',
  environment: {
    STRATALOG_EMBEDDER: 'deterministic',
    STRATALOG_LLM_BASE_URL: endpoint.baseURL,
    STRATALOG_LLM_MODEL: 'root',
  },
});

const text = z.string().min(10);
const rulesFile = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z
        .array(
          z.strictObject({
            alert: z.string().regex(/^Stratalog[A-Z]\w+$/),
            expr: text,
            for: z
              .string()
              .regex(/^\d+[smh]$/)
              .optional(),
            labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
            annotations: z.strictObject({ summary: text, remedy: text }),
          }),
        )
        .min(1),
    }),
  ),
});

const { groups } = rulesFile.parse(parse(await readFile('ops/alerts.yml', 'utf8')));
const rules = groups.flatMap((group) => group.rules);
/** Has the metrics of the relay only in the profile cluster, where `roles.test.ts` looks for them. */
const ofRelay = (metric: string) => metric.startsWith('stratalog_relay_');

interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** The metrics that an expression reads, each with the labels it selects by. */
function selectorsOf(expr: string): Selector[] {
  return [...expr.matchAll(/\b((?:stratalog|http|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', labels = '']) => ({
      metric,
      labels: [...labels.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }),
  );
}

it('[D-4] the alert rules use only metrics and labels that the program exposes', async () => {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const { position } = await client.store({ content: 'Billing never repeats a payment' });
  const query = 'Compare the retries of Search and Billing across all teams';
  const answer = await client.post('/v1/search', { query, minPosition: position, waitMs: 30_000 });
  expect(answer.status).toBe(200);
  const given = [...(await metricsOf(server)).keys()];
  for (const { alert, expr } of rules) {
    const selectors = selectorsOf(expr);
    expect(selectors.length, alert).toBeGreaterThan(0);
    for (const { metric, labels } of selectors.filter(({ metric }) => !ofRelay(metric))) {
      const series = given.filter((name) => name === metric || name.startsWith(`${metric}{`));
      expect(series.length, `${alert}: ${metric}`).toBeGreaterThan(0);
      for (const label of labels) expect(series[0], `${alert}: ${metric}`).toContain(`${label}="`);
    }
  }
});

it('[D-4] [D-7] alerts fire when reasoning p95 exceeds 2 s, when more than 5 percent of it degrades, and when a breaker is open', () => {
  const of = (name: string) => rules.find(({ alert }) => alert === name)?.expr;
  expect(of('StratalogReasoningSlow')).toMatch(/^histogram_quantile\(0\.95, .*_duration_bucket.*> 2$/);
  expect(of('StratalogReasoningDegraded')).toMatch(/\[5m\].*> 0\.05$/s);
  expect(of('StratalogLanguageModelBreakerOpen')).toMatch(/breakers_open\) > 0$/);
});

it('[J7] alerts fire when a read model stops or falls behind, whichever unit its lag has in a profile', () => {
  const behind = rules.filter(({ expr }) => expr.includes('stratalog_projection_lag'));
  expect(behind.map(({ alert }) => alert)).toEqual(['StratalogReadModelStopped', 'StratalogReadModelBehind']);
  for (const { expr, annotations } of behind) {
    expect(expr).not.toMatch(/[<>=]\s*[1-9]/);
    expect(annotations.summary).toMatch(/positions.*\(events; in the profile cluster bytes of the log\)/);
  }
});
