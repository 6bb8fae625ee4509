import { useEffect, useState } from 'preact/hooks';
import { Chart } from '../../ui/chart.tsx';
import { Panel } from '../../ui/page.tsx';
import { ratesOf, sumOf, type Reading } from './metrics.ts';
import type { Metrics } from './use-metrics.ts';

/** Readings that are kept: ten minutes of one every two seconds. */
const keptReadings = 300;

/** Counters of the charts, by the name that is shown. */
const counters = {
  'requests answered': (metrics: Metrics) => sumOf(metrics.samples, 'http_server_request_duration_count'),
  'texts embedded': (metrics: Metrics) => sumOf(metrics.samples, 'stratalog_embedding_texts_total'),
} as const;

const eventsName = 'events appended';

interface ThroughputProps {
  readonly metrics: Metrics | undefined;
  /** Head of the log. */
  readonly head: number | undefined;
}

/** What happens each second, measured while the page is open. */
export function Throughput({ metrics, head }: ThroughputProps) {
  const [readings, setReadings] = useState<readonly Reading[]>([]);
  useEffect(() => {
    if (!metrics) return;
    const values = Object.entries(counters).map(([name, count]) => [name, count(metrics)] as const);
    const reading: Reading = {
      at: metrics.at,
      counters: { ...Object.fromEntries(values), [eventsName]: head },
    };
    setReadings((before) => [...before, reading].slice(-keptReadings));
  }, [metrics?.at]);
  const times = readings.slice(1).map(({ at }) => at);
  return (
    <Panel title="Throughput" note="per second, since this page was opened">
      {times.length < 2 ? (
        <p class="muted" role="status">
          Measuring: the first points appear after a few seconds.
        </p>
      ) : (
        <Chart
          label="Requests, embedded texts and events per second over time"
          x={times}
          series={[...Object.keys(counters), ...(head === undefined ? [] : [eventsName])].map((name) => ({
            name,
            values: ratesOf(readings, name),
          }))}
        />
      )}
    </Panel>
  );
}
