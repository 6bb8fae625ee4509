// The Grafana dashboards of `ops/dashboards`, written by `npm run docs`. A test checks each panel against the metrics of a running server.

/** A query of a panel, which may draw several lines. */
export interface Query {
  /** PromQL. */
  readonly expr: string;
  /** Legend of its lines. `{{label}}` is replaced by the value of that label. */
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  /** What it answers, and what to do about a high value. */
  readonly description: string;
  /** A unit of Grafana: `s`, `ms`, `reqps`, `percentunit`, `bytes`, `short`, … */
  readonly unit: string;
  readonly queries: readonly Query[];
  readonly kind?: 'timeseries' | 'stat';
  /** Values from this one up are shown in red. */
  readonly limit?: number;
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly Row[];
}

const one = (expr: string, legend = ''): readonly Query[] => [{ expr, legend }];

/** The rate of a counter, summed over all processes, by labels. */
const rate = (metric: string, by: string, selector = ''): string =>
  `sum by (${by}) (rate(${metric}${selector}[$__rate_interval]))`;

/** Quantiles of a histogram over all processes. */
function quantiles(histogram: string, by = '', selector = ''): readonly Query[] {
  const labels = by === '' ? 'le' : `le, ${by}`;
  const name = by === '' ? '' : ` {{${by}}}`;
  return [0.5, 0.95, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (${labels}) (rate(${histogram}_bucket${selector}[$__rate_interval])))`,
    legend: `p${quantile * 100}${name}`,
  }));
}

/** The mean of a histogram over all processes, by labels. */
const mean = (histogram: string, by: string): string =>
  `${rate(`${histogram}_sum`, by)} / ${rate(`${histogram}_count`, by)}`;

const operations: Dashboard = {
  uid: 'stratalog-operations',
  title: 'Stratalog: operations',
  description: 'Whether Stratalog answers in time, whether its read models keep up, and what it refuses.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        {
          title: 'Parked streams',
          description:
            'Streams whose events a read model cannot apply. `stratalog projections status` names them.',
          kind: 'stat',
          unit: 'short',
          limit: 1,
          queries: one('max(stratalog_projection_parked)'),
        },
        {
          title: 'Streams that reactors parked',
          description: 'Reactions, such as erasures, that failed. They are tried again every 30 s.',
          kind: 'stat',
          unit: 'short',
          limit: 1,
          queries: one('max(stratalog_processor_parked)'),
        },
        {
          title: 'Head of the log overdue',
          description:
            'How long ago the next head of the log should have been signed. Until it is, nothing proves the newest events.',
          kind: 'stat',
          unit: 's',
          limit: 300,
          queries: one('max(stratalog_checkpoint_overdue)'),
        },
        {
          title: 'Searches not in the log yet',
          description: 'Searches and accesses that were answered and wait to be written down.',
          kind: 'stat',
          unit: 'short',
          limit: 10_000,
          queries: one('sum(stratalog_retrieval_facts_waiting)'),
        },
        {
          title: 'Searches lost',
          description: 'Searches and accesses that the log did not take for so long that they were dropped.',
          kind: 'stat',
          unit: 'short',
          limit: 1,
          queries: one('sum(stratalog_retrieval_facts_dropped_total)'),
        },
        {
          title: 'Open circuit breakers',
          description:
            'Pairs of tenant and language model that are not called because too many calls failed. They are tried again every 30 s.',
          kind: 'stat',
          unit: 'short',
          limit: 1,
          queries: one('sum(stratalog_language_model_breakers_open)'),
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests by status',
          description: 'Answers a second.',
          unit: 'reqps',
          queries: one(
            rate('http_server_request_duration_count', 'http_response_status_code'),
            '{{http_response_status_code}}',
          ),
        },
        {
          title: 'Time to answer',
          description: 'From the arrival of a request to the start of its answer, all operations together.',
          unit: 's',
          queries: quantiles('http_server_request_duration'),
        },
        {
          title: 'Time to answer by operation, p95',
          description: 'The ten slowest operations.',
          unit: 's',
          queries: one(
            'topk(10, histogram_quantile(0.95, sum by (le, http_route) (rate(http_server_request_duration_bucket[$__rate_interval]))))',
            '{{http_route}}',
          ),
        },
        {
          title: 'Server errors by operation',
          description: 'Answers from 500 on. The log has their cause by `requestId`.',
          unit: 'reqps',
          limit: 0.01,
          queries: one(
            rate('http_server_request_duration_count', 'http_route', '{http_response_status_code=~"5.."}'),
            '{{http_route}}',
          ),
        },
        {
          title: 'Costly requests at a time',
          description: 'Searches, contexts and the like that are worked on, and that wait for their turn.',
          unit: 'short',
          queries: [
            { expr: 'sum(stratalog_requests_working)', legend: 'worked on' },
            { expr: 'sum(stratalog_requests_waiting)', legend: 'waiting' },
          ],
        },
        {
          title: 'Refused',
          description:
            '503 because too many requests wait; 429 because a caller reached its limits; calls of models over a budget; changes over a quota.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum(rate(stratalog_requests_refused_total[$__rate_interval]))',
              legend: 'too many wait',
            },
            {
              expr: 'sum(rate(stratalog_requests_limited_total[$__rate_interval]))',
              legend: 'limit of the caller',
            },
            {
              expr: 'sum(rate(stratalog_budgets_refused_total[$__rate_interval]))',
              legend: 'budget used up',
            },
            { expr: 'sum(rate(stratalog_quotas_refused_total[$__rate_interval]))', legend: 'space full' },
          ],
        },
      ],
    },
    {
      title: 'Read models and reactors',
      panels: [
        {
          title: 'Lag of the read models',
          description:
            'Positions of the log that are not applied: events, in the profile cluster bytes of the log.',
          unit: 'short',
          queries: one('max by (projection) (stratalog_projection_lag)', '{{projection}}'),
        },
        {
          title: 'Lag of the reactors',
          description: 'Positions of the log that a reactor has not handled.',
          unit: 'short',
          queries: one('max by (processor) (stratalog_processor_lag)', '{{processor}}'),
        },
        {
          title: 'Age of the oldest event that is not in Kafka',
          description: 'Profile cluster only.',
          unit: 's',
          limit: 60,
          queries: one('max(stratalog_relay_lag)', 'relay'),
        },
        {
          title: 'Events published',
          description:
            'Profile cluster only. Withheld events were too large for Kafka, and are published without their data.',
          unit: 'short',
          queries: [
            {
              expr: 'sum(rate(stratalog_relay_published_total[$__rate_interval]))',
              legend: 'published a second',
            },
            {
              expr: 'sum(rate(stratalog_relay_withheld_total[$__rate_interval]))',
              legend: 'withheld a second',
            },
          ],
        },
        {
          title: 'Memory used for searches',
          description: 'Profile embedded: what is kept in RAM of the words and vectors.',
          unit: 'bytes',
          queries: [
            { expr: 'sum(stratalog_words_in_memory_size)', legend: 'words' },
            { expr: 'sum(stratalog_vectors_in_memory_size)', legend: 'vectors' },
          ],
        },
        {
          title: 'Free space on the disk',
          description: 'Profile embedded. Below 64 MB nothing is written.',
          unit: 'bytes',
          queries: one('min(stratalog_disk_free)', 'free'),
        },
        {
          title: 'Long memories that wait for their passages',
          description: 'A passage could not be embedded and is tried again. The log names the memories.',
          unit: 'short',
          queries: one('sum(stratalog_passages_failing)', 'memories'),
        },
      ],
    },
  ],
};

const retrieval: Dashboard = {
  uid: 'stratalog-retrieval',
  title: 'Stratalog: retrieval and learning',
  description:
    'How questions are routed, what decompositions take, what policies learn, and how fresh summaries are.',
  rows: [
    {
      title: 'Routing',
      panels: [
        {
          title: 'Questions by route',
          description: 'standard: one hybrid search. rlm: decomposed into several.',
          unit: 'reqps',
          queries: one(rate('memory_rlm_routing_decision_total', 'route'), '{{route}}'),
        },
        {
          title: 'Complexity of questions',
          description: 'From the threshold of the tenant on (0.3 by default) a question is complex.',
          unit: 'short',
          queries: quantiles('memory_rlm_complexity_score'),
        },
        {
          title: 'Time of decompositions',
          description: 'The default limit is 5 s.',
          unit: 'ms',
          limit: 5_000,
          queries: quantiles('memory_rlm_execution_duration_ms'),
        },
        {
          title: 'Decompositions by outcome',
          description:
            'partial: time or another budget ran out, or a model failed. failed: the standard search answered.',
          unit: 'reqps',
          queries: one(rate('memory_rlm_execution_duration_ms_count', 'outcome'), '{{outcome}}'),
        },
        {
          title: 'Depth of decompositions',
          description: 'How many times a part of a question was split again, on average.',
          unit: 'short',
          queries: one(mean('memory_rlm_execution_depth', 'outcome'), '{{outcome}}'),
        },
        {
          title: 'Tokens of decompositions',
          description: 'Search texts and language model calls.',
          unit: 'short',
          queries: quantiles('memory_rlm_execution_tokens'),
        },
      ],
    },
    {
      title: 'Reasoning',
      panels: [
        {
          title: 'Time to decide what is searched for, with a language model',
          description: 'An alert fires where p95 exceeds 2 s for five minutes.',
          unit: 's',
          limit: 2,
          queries: quantiles('stratalog_reasoning_duration', '', '{source="model"}'),
        },
        {
          title: 'Questions without the help of the model',
          description: 'By cause. They are answered without it.',
          unit: 'reqps',
          queries: one(rate('stratalog_reasoning_degraded_total', 'cause'), '{{cause}}'),
        },
      ],
    },
    {
      title: 'Learning',
      panels: [
        {
          title: 'Mean reward of the decisions that policies learned from',
          description: 'From −1 to 1, since the start of each process.',
          unit: 'short',
          queries: one(
            'sum(memory_rlm_training_reward_sum) / sum(memory_rlm_training_reward_count)',
            'reward',
          ),
        },
        {
          title: 'Share of questions that explore',
          description: 'They take the other route, to learn from it. Of the tenant that was trained last.',
          unit: 'percentunit',
          queries: one('max(memory_rlm_training_exploration_rate)', 'exploration'),
        },
      ],
    },
    {
      title: 'Summaries',
      panels: [
        {
          title: 'Summaries made',
          description: 'By what caused them.',
          unit: 'short',
          queries: one(rate('memory_summary_generations_total', 'trigger'), '{{trigger}}'),
        },
        {
          title: 'Time to make the summaries of a scope, by layer',
          description: 'All depths together.',
          unit: 'ms',
          queries: one(
            'histogram_quantile(0.95, sum by (le, layer) (rate(memory_summary_generation_duration_ms_bucket[$__rate_interval])))',
            '{{layer}}',
          ),
        },
        {
          title: 'Share of summaries that were fresh when read',
          description: 'By layer.',
          unit: 'percentunit',
          queries: one(
            `${rate('memory_summary_retrievals_total', 'layer', '{cache_hit="true"}')} / ${rate('memory_summary_retrievals_total', 'layer')}`,
            '{{layer}}',
          ),
        },
        {
          title: 'Time to read summaries',
          description: 'With their freshness.',
          unit: 'ms',
          queries: quantiles('memory_summary_retrieval_latency_ms'),
        },
        {
          title: 'Scopes for each call of a language model',
          description: 'One call writes the summaries of several scopes where it can.',
          unit: 'short',
          queries: one(mean('memory_summary_batch_efficiency', 'model'), '{{model}}'),
        },
        {
          title: 'Scopes that a language model summed up',
          description: 'By whether its text is used: what its sources do not support is not.',
          unit: 'short',
          queries: one(rate('memory_summary_batched_scopes_total', 'used'), 'used: {{used}}'),
        },
      ],
    },
  ],
};

const models: Dashboard = {
  uid: 'stratalog-models',
  title: 'Stratalog: models',
  description:
    'What embedding and language models are asked, how long they take, and what they cost in tokens.',
  rows: [
    {
      title: 'Embedding',
      panels: [
        {
          title: 'Texts',
          description: 'By purpose and outcome. Texts that have a vector already are not counted.',
          unit: 'short',
          queries: one(
            rate('stratalog_embedding_texts_total', 'purpose, outcome'),
            '{{purpose}} {{outcome}}',
          ),
        },
        {
          title: 'Tokens',
          description: 'A second, by model.',
          unit: 'short',
          queries: one(rate('stratalog_embedding_tokens_total', 'model'), '{{model}}'),
        },
        {
          title: 'Time of a run',
          description: 'One text on a thread, or one request to an endpoint with its retries.',
          unit: 's',
          queries: quantiles('stratalog_embedding_duration', 'purpose'),
        },
      ],
    },
    {
      title: 'Language models',
      panels: [
        {
          title: 'Calls',
          description: 'By purpose and outcome.',
          unit: 'short',
          queries: one(
            rate('stratalog_language_model_call_total', 'purpose, outcome'),
            '{{purpose}} {{outcome}}',
          ),
        },
        {
          title: 'Requests for each call',
          description: 'Above 1, requests were repeated.',
          unit: 'short',
          queries: one(
            `${rate('stratalog_language_model_request_total', 'model')} / ${rate('stratalog_language_model_call_total', 'model')}`,
            '{{model}}',
          ),
        },
        {
          title: 'Tokens',
          description: 'A second, by model and direction.',
          unit: 'short',
          queries: one(
            rate('stratalog_language_model_tokens_total', 'model, direction'),
            '{{model}} {{direction}}',
          ),
        },
        {
          title: 'Time of a call',
          description: 'With its retries.',
          unit: 's',
          queries: quantiles('stratalog_language_model_duration', 'purpose'),
        },
        {
          title: 'Calls that a budget refused',
          description: 'The work went on without them.',
          unit: 'short',
          queries: one('sum(rate(stratalog_budgets_refused_total[$__rate_interval]))', 'refused'),
        },
      ],
    },
  ],
};

export const dashboards: readonly Dashboard[] = [operations, retrieval, models];

/** All queries of a dashboard, each with the title of its panel. */
export function queriesOf({ rows }: Dashboard): (Query & { readonly panel: string })[] {
  return rows.flatMap(({ panels }) =>
    panels.flatMap(({ title, queries }) => queries.map((query) => ({ ...query, panel: title }))),
  );
}

const width = 24;
const statHeight = 4;
const chartHeight = 8;

/** A dashboard in the format that Grafana imports (schema 39, Grafana 10.3 and later). It asks for its data source. */
export function grafanaModel({ uid, title, description, rows }: Dashboard): object {
  const panels: object[] = [];
  let y = 0;
  let id = 0;
  for (const row of rows) {
    panels.push({
      id: ++id,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y: y++, w: width, h: 1 },
      panels: [],
    });
    const isStats = row.panels.every(({ kind }) => kind === 'stat');
    const perLine = isStats ? 6 : 2;
    const height = isStats ? statHeight : chartHeight;
    for (const [at, panel] of row.panels.entries()) {
      const w = width / perLine;
      const gridPos = { x: (at % perLine) * w, y: y + Math.floor(at / perLine) * height, w, h: height };
      panels.push({ id: ++id, ...grafanaPanel(panel), gridPos });
    }
    y += Math.ceil(row.panels.length / perLine) * height;
  }
  return {
    uid,
    title,
    description,
    tags: ['stratalog'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }],
    },
    links: dashboards
      .filter((other) => other.uid !== uid)
      .map((other) => ({ title: other.title, type: 'link', url: `/d/${other.uid}`, keepTime: true })),
    panels,
  };
}

const datasource = { type: 'prometheus', uid: '${datasource}' };

function grafanaPanel({ title, description, unit, queries, kind = 'timeseries', limit }: Panel): object {
  const steps = [
    { color: 'green', value: null },
    ...(limit === undefined ? [] : [{ color: 'red', value: limit }]),
  ];
  const isChart = kind === 'timeseries';
  return {
    type: kind,
    title,
    description,
    datasource,
    fieldConfig: {
      defaults: {
        unit,
        min: unit === 'short' ? undefined : 0,
        thresholds: { mode: 'absolute', steps },
        custom: isChart
          ? {
              fillOpacity: 10,
              showPoints: 'never',
              thresholdsStyle: { mode: limit === undefined ? 'off' : 'line' },
            }
          : undefined,
      },
      overrides: [],
    },
    options: isChart
      ? { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } }
      : { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value', graphMode: 'area' },
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCodePoint(65 + at),
      datasource,
      expr,
      legendFormat: legend === '' ? title : legend,
    })),
  };
}
