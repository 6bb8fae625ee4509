import { useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useLiveEvents } from '../../app/live.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { usePages } from '../../app/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { EventRow } from './event-row.tsx';
import { Export } from './export.tsx';
import { auditFilter, filtersIn, isOf, isWanted } from './filter.ts';

/** The log, newest first. New events wait until the reader asks for them, so that the list stands still. */
export function Log() {
  const { values, set } = useAddress();
  const at = useAt();
  const filter = auditFilter(values, at);
  const correlation = values['correlation'] || undefined;
  const events = usePages('audit.events', [{ ...filter, order: 'newest', limit: 100 }], { once: true });
  const [arrived, setArrived] = useState(0);
  useLiveEvents((batch) => {
    if (at !== undefined || values['to']) return;
    // Reading the audit is recorded, too, and would be news forever.
    const wanted = batch.filter((event) => event.type !== 'AuditRead' && isWanted(values, event));
    if (wanted.length > 0) setArrived((before) => before + wanted.length);
  });
  const shown = events.items.filter((event) => isOf(correlation, event));
  const isFiltered = Object.keys(filtersIn(values)).length > 0;
  return (
    <>
      <div class="log-head">
        <span class="muted" role="status">
          {shown.length.toLocaleString()} events{events.hasMore && ' so far'}, newest first
          {correlation !== undefined && ` of ${events.items.length.toLocaleString()} that were searched`}
        </span>
        {arrived > 0 && (
          <Button
            onClick={() => {
              setArrived(0);
              events.shorten();
              events.repeat();
            }}
          >
            Show {arrived.toLocaleString()} new
          </Button>
        )}
        {events.hasMore && <Button onClick={events.more}>Load more</Button>}
        <Export filter={filter} />
      </div>
      <PagedList
        of={{ ...events, items: shown }}
        what="the events"
        label="Events"
        rowHeight={62}
        empty={
          <Empty title={isFiltered ? 'No event passes these filters' : 'Nothing was recorded yet'}>
            {isFiltered
              ? 'Remove a filter, or choose a longer time.'
              : 'Store a memory, and it appears here.'}
          </Empty>
        }
      >
        {(event) => (
          <EventRow
            event={event}
            isOpen={values['event'] === event.id}
            onToggle={() => set({ event: values['event'] === event.id ? undefined : event.id })}
          />
        )}
      </PagedList>
    </>
  );
}
