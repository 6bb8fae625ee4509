import type { Model } from '@stratalog/client';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Panel } from '../../ui/page.tsx';
import { usdText } from '../../ui/quantity.ts';
import { Table, type Column } from '../../ui/table.tsx';
import { useMaySeeMetrics, useMetrics } from './use-metrics.ts';
import { sumOf, type Sample } from './metrics.ts';

const refreshMs = 10_000;

const columns: readonly Column<Model>[] = [
  { name: 'Model', cell: ({ id }) => <code>{id}</code> },
  {
    name: 'State',
    cell: ({ inUse }) => (inUse ? <Badge tone="good">in use</Badge> : <span class="muted">not in use</span>),
  },
  { name: 'Runs', cell: ({ local, provider }) => (local ? 'in this server: no text leaves it' : provider) },
  { name: 'Dimensions', isNumber: true, cell: ({ dimensions }) => dimensions?.toLocaleString() },
  {
    name: 'Price of a million tokens',
    cell: ({ usdPerMillionTokens: price, local }) =>
      price ? `${usdText(price.input)} read, ${usdText(price.output)} written` : local ? 'none' : 'not known',
  },
];

/** The models of the server, and how they do. */
export function Models() {
  const models = useAsk('models', []);
  const metrics = useMetrics(refreshMs);
  const maySeeMetrics = useMaySeeMetrics();
  return (
    <Answer of={models} what="the models">
      {({ items }) => (
        <div class="stack">
          {(['embedding', 'language'] as const).map((kind) => (
            <Panel key={kind} title={kind === 'embedding' ? 'Embedding models' : 'Language models'}>
              {items.some((one) => one.kind === kind) ? (
                <Table
                  label={`${kind} models`}
                  rows={items.filter((one) => one.kind === kind)}
                  columns={columns}
                  keyOf={({ id }) => id}
                />
              ) : (
                <p class="muted">
                  None is configured: rules write summaries, lessons and plans. STRATALOG_LLM_BASE_URL and
                  STRATALOG_LLM_MODEL connect one.
                </p>
              )}
            </Panel>
          ))}
          {maySeeMetrics && metrics.answer && <Work samples={metrics.answer.samples} />}
        </div>
      )}
    </Answer>
  );
}

/** What this process has asked of its embedding models. */
function Work({ samples }: { readonly samples: readonly Sample[] }) {
  const done = samples.filter(({ name }) => name === 'stratalog_embedding_texts_total');
  if (done.length === 0) return null;
  return (
    <Panel title="Embedded by this process" note="since it started">
      <Table
        label="Embedded texts by model and purpose"
        rows={done}
        keyOf={({ labels }) => JSON.stringify(labels)}
        columns={[
          { name: 'Model', cell: ({ labels }) => <code>{labels['model']}</code> },
          { name: 'Texts of', cell: ({ labels }) => purposes[labels['purpose'] ?? ''] ?? labels['purpose'] },
          { name: 'Outcome', cell: ({ labels }) => labels['outcome'] },
          { name: 'Texts', isNumber: true, cell: ({ value }) => value.toLocaleString() },
          {
            name: 'Mean time',
            isNumber: true,
            cell: ({ labels }) => {
              const seconds = sumOf(samples, 'stratalog_embedding_duration_sum', labels);
              const count = sumOf(samples, 'stratalog_embedding_duration_count', labels);
              return seconds === undefined || !count ? '' : `${Math.round((seconds / count) * 1_000)} ms`;
            },
          },
        ]}
      />
    </Panel>
  );
}

const purposes: Readonly<Record<string, string>> = { query: 'questions', passage: 'memories' };
