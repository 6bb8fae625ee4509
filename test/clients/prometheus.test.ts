import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { dashboards, queriesOf } from '../../docs/dashboards.ts';
import { clientWithKey, freshTenant } from '../support/api.ts';
import { promtool } from '../support/promtool.ts';
import { useServer } from '../support/use-server.ts';

const rulesFile = path.resolve('ops/alerts.yml');
const rules = parse(await readFile(rulesFile, 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
};
const alerts = rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert));

/** Values of one minute each, in the notation of promtool: 0+10x60 starts at 0 and grows by 10 in each of 60 minutes. */
type Series = Readonly<Record<string, string>>;

/** For each alert what it must fire for within an hour, and what it must be silent at. */
const cases: Readonly<Record<string, { readonly fires: Series; readonly silent: Series }>> = {
  StratalogReasoningSlow: {
    fires: {
      'stratalog_reasoning_duration_bucket{source="model",le="2"}': '0+1x60',
      'stratalog_reasoning_duration_bucket{source="model",le="3"}': '0+10x60',
      'stratalog_reasoning_duration_bucket{source="model",le="+Inf"}': '0+10x60',
    },
    silent: {
      'stratalog_reasoning_duration_bucket{source="model",le="2"}': '0+99x60',
      'stratalog_reasoning_duration_bucket{source="model",le="3"}': '0+100x60',
      'stratalog_reasoning_duration_bucket{source="model",le="+Inf"}': '0+100x60',
    },
  },
  StratalogReasoningDegraded: {
    fires: {
      'stratalog_reasoning_degraded_total{cause="failed"}': '0+6x60',
      'stratalog_reasoning_duration_count{source="model"}': '0+100x60',
    },
    silent: {
      'stratalog_reasoning_degraded_total{cause="failed"}': '0+4x60',
      'stratalog_reasoning_degraded_total{cause="breaker-open"}': '0+50x60',
      'stratalog_reasoning_duration_count{source="model"}': '0+100x60',
    },
  },
  StratalogLanguageModelBreakerOpen: {
    fires: { stratalog_language_model_breakers_open: '1x60' },
    silent: { stratalog_language_model_breakers_open: '0x60' },
  },
  StratalogStreamsParked: {
    fires: { 'stratalog_projection_parked{projection="lexical"}': '1x60' },
    silent: { 'stratalog_projection_parked{projection="lexical"}': '0x60' },
  },
  StratalogReactionsParked: {
    fires: { 'stratalog_processor_parked{processor="erasures"}': '2x60' },
    silent: { 'stratalog_processor_parked{processor="erasures"}': '0x60' },
  },
  StratalogReadModelStopped: {
    fires: { 'stratalog_projection_lag{projection="memories"}': '5+1x60' },
    silent: {
      'stratalog_projection_lag{projection="memories"}': '0 9 0 9 0 9 0 9 0 9 0 9 0 9 0 9 0 9 0 9 0x40',
    },
  },
  StratalogReadModelBehind: {
    fires: { 'stratalog_projection_lag{projection="vectors"}': '0x34 50+10x60' },
    silent: { 'stratalog_projection_lag{projection="vectors"}': '40x94' },
  },
  StratalogFactsDropped: {
    fires: { stratalog_retrieval_facts_dropped_total: '0x50 3x10' },
    silent: { stratalog_retrieval_facts_dropped_total: '3x60' },
  },
  StratalogCheckpointOverdue: {
    fires: { stratalog_checkpoint_overdue: '0+60x60' },
    silent: { stratalog_checkpoint_overdue: '0 60 0 60 0 60 0 60 0x52' },
  },
  StratalogRelayBehind: {
    fires: { stratalog_relay_lag: '0+60x60' },
    silent: { stratalog_relay_lag: '0 30 90 0 30 90 0x54' },
  },
  StratalogDiskNearlyFull: {
    fires: { stratalog_disk_free: '200000000x60' },
    silent: { stratalog_disk_free: '5000000000x60' },
  },
  StratalogRequestsShed: {
    fires: { stratalog_requests_refused_total: '0+1x60' },
    silent: { stratalog_requests_refused_total: '7x60' },
  },
  StratalogCallersLimited: {
    fires: { stratalog_requests_limited_total: '0+20x60' },
    silent: { stratalog_requests_limited_total: '0+2x60' },
  },
  StratalogBudgetUsedUp: {
    fires: { stratalog_budgets_refused_total: '0x55 4x5' },
    silent: { stratalog_budgets_refused_total: '4x60' },
  },
  StratalogSpaceFull: {
    fires: { stratalog_quotas_refused_total: '0x55 1x5' },
    silent: { stratalog_quotas_refused_total: '1x60' },
  },
};

/** A model that is slow from its first call on. */
const slowPlans: Series = {
  'stratalog_reasoning_duration_bucket{source="model",le="2"}': '0+10x60',
  'stratalog_reasoning_duration_bucket{source="model",le="+Inf"}': '0+10x60',
  'stratalog_language_model_duration_bucket{purpose="plan",le="2"}': '0x60',
  'stratalog_language_model_duration_bucket{purpose="plan",le="3"}': '0+10x60',
  'stratalog_language_model_duration_bucket{purpose="plan",le="+Inf"}': '0+10x60',
};

const testOf = (alert: string, series: Series, fires: boolean, minutes: number) => ({
  interval: '1m',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  promql_expr_test: [
    {
      expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
      eval_time: `${minutes}m`,
      exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
    },
  ],
});

describe('the alerting rules', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(path.join(tmpdir(), 'stratalog-alerts-'))));
  afterAll(() => rm(folder, { recursive: true }));

  it('[J6] are accepted by promtool, and each has its cases', async () => {
    expect(await promtool(['check', 'rules', rulesFile])).toMatchObject({ code: 0 });
    expect(Object.keys(cases)).toEqual(alerts);
  });

  it('[J6] and the queries of the dashboards are PromQL', async () => {
    const expressions = dashboards.flatMap(queriesOf).map(({ expr }, at) => ({
      record: `panel_${at}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    const file = path.join(folder, 'panels.yml');
    await writeFile(file, stringify({ groups: [{ name: 'panels', rules: expressions }] }));
    expect(await promtool(['check', 'rules', file])).toMatchObject({ code: 0 });
  });

  it('[J6] [J7] fire for what they are for, and are silent otherwise', async () => {
    const tests = Object.entries(cases).flatMap(([alert, { fires, silent }]) => {
      const minutes = alert === 'StratalogReadModelBehind' ? 90 : 60;
      return [testOf(alert, fires, true, minutes), testOf(alert, silent, false, minutes)];
    });
    tests.push(testOf('StratalogReasoningSlow', slowPlans, true, 60));
    const file = path.join(folder, 'tests.yml');
    await writeFile(file, stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }));
    const { code, output } = await promtool(['test', 'rules', file]);
    expect(output).toContain('SUCCESS');
    expect(code).toBe(0);
  });

  it('[J6] name counts as whole numbers, although Prometheus extrapolates them', async () => {
    const summaries: Readonly<Record<string, string>> = {
      StratalogRequestsShed: '0.18 requests a second are refused because too many wait',
      StratalogBudgetUsedUp: 'A budget is used up, so calls of models were not made (2 in 15 minutes)',
      StratalogSpaceFull: 'A space is full, so changes of memories were refused (2 in 15 minutes)',
    };
    const groups = rules.groups as readonly {
      readonly rules: readonly {
        readonly alert: string;
        readonly labels: Readonly<Record<string, string>>;
        readonly annotations: { readonly remedy: string };
      }[];
    }[];
    const tests = groups
      .flatMap((group) => group.rules)
      .filter(({ alert }) => alert in summaries)
      .map(({ alert, labels, annotations: { remedy } }) => ({
        interval: '1m',
        input_series: [
          { series: 'stratalog_requests_refused_total', values: '0+11x60' },
          { series: 'stratalog_budgets_refused_total', values: '0x55 2x5' },
          { series: 'stratalog_quotas_refused_total', values: '0x55 2x5' },
        ],
        alert_rule_test: [
          {
            eval_time: '60m',
            alertname: alert,
            exp_alerts: [{ exp_labels: labels, exp_annotations: { summary: summaries[alert], remedy } }],
          },
        ],
      }));
    const file = path.join(folder, 'summaries.yml');
    await writeFile(file, stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }));
    const { code, output } = await promtool(['test', 'rules', file]);
    expect(output).toContain('SUCCESS');
    expect(code).toBe(0);
  });
});

describe('/metrics', () => {
  const server = useServer({
    because: 'is read as a whole',
    environment: { STRATALOG_EMBEDDER: 'deterministic' },
  });

  it('[J6] is accepted by promtool', async () => {
    const client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    const { position } = await client.store({ content: 'Billing never repeats a payment' });
    const query = 'Compare the retries of Search and Billing across all teams';
    await client.post('/v1/search', { query, minPosition: position, waitMs: 30_000 });
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const { output } = await promtool(['check', 'metrics'], text);
    // The specification gives these names; by Prometheus' own rules they would end in `_seconds`.
    const fixed = /^memory_\w+_ms metric names should not contain abbreviated units$/;
    expect(output.split('\n').filter((line) => line !== '' && !fixed.test(line))).toEqual([]);
  });
});
