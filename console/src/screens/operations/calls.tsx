import { Panel } from '../../ui/page.tsx';
import { Figure, Table, type Column } from '../../ui/table.tsx';
import { callsOf, type CallFigures } from './call-figures.ts';
import { sumOf, type Sample } from './metrics.ts';

const shownRows = 15;

const columns: readonly Column<CallFigures>[] = [
  { name: 'Call', cell: ({ name }) => <code>{name}</code> },
  { name: 'Answered', isNumber: true, cell: ({ count }) => count.toLocaleString() },
  { name: 'Mean time', isNumber: true, cell: ({ seconds, count }) => timeText(seconds / count) },
  {
    name: 'Refused or failed',
    isNumber: true,
    cell: ({ refused, failed }) =>
      refused + failed === 0 ? '' : `${refused.toLocaleString()} refused, ${failed.toLocaleString()} failed`,
  },
];

/** What this process has answered since it started. */
export function Calls({ samples }: { readonly samples: readonly Sample[] }) {
  const calls = callsOf(samples);
  const refused = sumOf(samples, 'stratalog_requests_refused_total');
  const dropped = sumOf(samples, 'stratalog_retrieval_facts_dropped_total');
  return (
    <Panel title="Requests" note="of this process since it started">
      <div class="figures">
        <Figure name="Being worked on" value={whole(sumOf(samples, 'stratalog_requests_working'))} />
        <Figure name="Waiting for their turn" value={whole(sumOf(samples, 'stratalog_requests_waiting'))} />
        <Figure
          name="Refused as too many"
          value={whole(refused)}
          {...(refused !== undefined && refused > 0 && { tone: 'warn' as const })}
        />
        <Figure
          name="Searches not in the log yet"
          value={whole(sumOf(samples, 'stratalog_retrieval_facts_waiting'))}
        />
        <Figure
          name="Searches that were not recorded"
          value={whole(dropped)}
          {...(dropped !== undefined && dropped > 0 && { tone: 'danger' as const })}
        />
      </div>
      <Table
        label="Requests by call"
        rows={calls.slice(0, shownRows)}
        columns={columns}
        keyOf={({ name }) => name}
      />
      {calls.length > shownRows && (
        <p class="muted">
          The {shownRows} calls of {calls.length} that were answered most often.
        </p>
      )}
    </Panel>
  );
}

const whole = (count: number | undefined): string => count?.toLocaleString() ?? 'not measured';

const timeText = (seconds: number): string =>
  seconds >= 1 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds * 1_000).toLocaleString()} ms`;
