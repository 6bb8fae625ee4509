import { readFile } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { dashboards, queriesOf } from '../../docs/dashboards.ts';
import { clientWithKey, freshTenant } from '../support/api.ts';
import { metricsOf } from '../support/metrics.ts';
import { missingIn, selectorsOf } from '../support/promql.ts';
import { scriptedLanguageModel } from '../support/scripted-language-model.ts';
import { summarizes } from '../support/summarizing-server.ts';
import { useServer } from '../support/use-server.ts';

const endpoint = await scriptedLanguageModel();
afterAll(() => endpoint.close());
const server = useServer({
  because: 'is configured with a language model',
  environment: {
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

/** The metrics of the relay exist only in the profile cluster, where `roles.test.ts` looks for them. */
const isOfRelay = (what: string) => what.startsWith('stratalog_relay_');

/** Lets the server do everything that has a metric. Returns its series. */
async function seriesAfterUse(): Promise<string[]> {
  const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
  const company = { layer: 'company' };
  await client.store({ ...company, content: 'Search tries again once' });
  const { position } = await client.store({ ...company, content: 'Billing never repeats a payment' });
  const query = 'Compare the retries of Search and Billing across all teams';
  const answer = await client.post('/v1/search', { query, minPosition: position, waitMs: 30_000 });
  expect(answer.status).toBe(200);
  endpoint.otherwise(summarizes());
  expect((await client.post('/v1/summaries/refresh', company)).status).toBe(202);
  const written = async () =>
    (await metricsOf(server)).get('memory_summary_batched_scopes_total{model="root",used="true"}');
  await expect.poll(written, { timeout: 30_000 }).toBeGreaterThan(0);
  const read = async () => (await client.get('/v1/summaries?layer=company')).body.items.length as number;
  await expect.poll(read, { timeout: 30_000 }).toBeGreaterThan(0);
  return [...(await metricsOf(server)).keys()];
}

it('[D-4] [J6] the alert rules and the panels of the dashboards use only metrics and labels that the program exposes', async () => {
  const series = await seriesAfterUse();
  const asked = [
    ...rules.map(({ alert, expr }) => ({ of: alert, expr })),
    ...dashboards.flatMap((dashboard) =>
      queriesOf(dashboard).map(({ panel, expr }) => ({ of: `${dashboard.title}: ${panel}`, expr })),
    ),
  ];
  for (const { of, expr } of asked) {
    expect(selectorsOf(expr).length, of).toBeGreaterThan(0);
    expect(
      missingIn(expr, series).filter((what) => !isOfRelay(what)),
      of,
    ).toEqual([]);
  }
  expect(
    missingIn('sum by (le, city) (stratalog_no_such{le="1"}) + stratalog_requests_waiting{city="x"}', series),
  ).toEqual([
    'stratalog_no_such',
    'stratalog_requests_waiting{city}',
    'stratalog_requests_waiting{le}',
    'stratalog_requests_waiting{city}',
  ]);
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
