import type { AuditEvent } from '@stratalog/client';
import { useEffect, useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useLiveEvents, useLiveState } from '../../app/live.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { EventRow } from './event-row.tsx';
import { filtersIn, isWanted } from './filter.ts';
import { emptyTail, grown, maxKept, type Tail } from './tail.ts';

/** Events as they happen. Only the last thousand are kept, and only the visible ones are drawn. */
export function LiveTail() {
  const { values, set } = useAddress();
  const state = useLiveState();
  const [tail, setTail] = useState<Tail<AuditEvent>>(emptyTail);
  const [paused, setPaused] = useState<Tail<AuditEvent>>();
  useEffect(() => setTail(emptyTail), [JSON.stringify(filtersIn(values))]);
  useLiveEvents((events) => {
    const wanted = events.filter((event) => isWanted(values, event));
    setTail((before) => grown(before, wanted));
  });
  const { events } = paused ?? tail;
  const waiting = paused ? tail.seen - paused.seen : 0;
  return (
    <>
      <div class="log-head">
        <span class="muted" role="status">
          {state === 'live' ? '' : 'The stream is interrupted; it continues by itself. '}
          {tail.seen.toLocaleString()} events since this view was opened
          {tail.seen > maxKept && `, the last ${maxKept.toLocaleString()} of them here`}
        </span>
        <Button onClick={() => setPaused(paused ? undefined : tail)} aria-pressed={paused !== undefined}>
          {paused ? `Continue (${waiting.toLocaleString()} waiting)` : 'Pause'}
        </Button>
      </div>
      {events.length === 0 ? (
        <Empty title="Waiting for events">
          What happens from now on appears here, as far as it passes the filters.
        </Empty>
      ) : (
        <VirtualList items={events} keyOf={({ id }) => id} rowHeight={62} label="Events as they happen">
          {(event) => (
            <EventRow
              event={event}
              isOpen={values['event'] === event.id}
              onToggle={() => {
                // What is read should not move away.
                setPaused(paused ?? tail);
                set({ event: values['event'] === event.id ? undefined : event.id });
              }}
            />
          )}
        </VirtualList>
      )}
    </>
  );
}
