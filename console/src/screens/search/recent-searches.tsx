import { useMemo } from 'preact/hooks';
import { Link } from '../../app/address.tsx';
import { Loading, Trouble } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { askedAt, eventsOf, type EventWith, type SearchData } from '../session/events.ts';
import { useEventLog } from '../session/use-event-log.ts';

const shown = 200;
const searchTypes = ['SearchPerformed'];
const hourMs = 3_600_000;

/** Searches of everybody as they happen, the latest first. For auditors. */
export function RecentSearches() {
  const from = useMemo(() => new Date(Date.now() - hourMs).toISOString(), []);
  const log = useEventLog(searchTypes, from, undefined);
  const searches = useMemo(
    () => eventsOf<SearchData>(log.events, 'SearchPerformed').slice(-shown).reverse(),
    [log.events],
  );
  return (
    <Panel title="Recent searches" note="of everybody, as they happen; the last hour at first">
      {log.error && <Trouble error={log.error} onRepeat={log.repeat} />}
      {log.isReading && <Loading what="recent searches" />}
      {!log.isReading && searches.length === 0 && (
        <Empty title="Nobody has searched in the last hour">Searches appear here as they are made.</Empty>
      )}
      {searches.length > 0 && (
        <VirtualList items={searches} keyOf={({ id }) => id} rowHeight={62} label="Recent searches">
          {(search) => <SearchRow search={search} />}
        </VirtualList>
      )}
    </Panel>
  );
}

function SearchRow({ search: { at, actor, onBehalfOf, data } }: { readonly search: EventWith<SearchData> }) {
  const { searchId, query, results, route, durationMs, warnings } = data;
  return (
    <Link class="row" to="/search" values={{ search: searchId }}>
      <span class="row-text" dir="auto">
        {query ?? 'Question no longer readable'}
      </span>
      <span class="badges muted">
        <Badge tone={results.length === 0 ? 'warn' : 'plain'}>{results.length} results</Badge>
        <Badge>{route}</Badge>
        {warnings.map((warning) => (
          <Badge key={warning} tone="warn">
            {warning}
          </Badge>
        ))}
        <Time at={askedAt(searchId) ?? at} />
        <span>{onBehalfOf ?? actor}</span>
        <span>{Math.round(durationMs)} ms</span>
      </span>
    </Link>
  );
}
