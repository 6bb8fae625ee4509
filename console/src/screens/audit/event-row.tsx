import type { AuditEvent } from '@stratalog/client';
import { Badge } from '../../ui/badge.tsx';
import { Time } from '../../ui/time.tsx';
import { describeEvent, gistOf } from './describe.ts';
import { EventDetails } from './event-details.tsx';

interface Props {
  readonly event: AuditEvent;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** One event in a list. It opens in its place. */
export function EventRow({ event, isOpen, onToggle }: Props) {
  const { actor, at, data, erased, onBehalfOf, reason, type } = event;
  return (
    <article class="row event">
      <button type="button" class="event-summary" aria-expanded={isOpen} onClick={onToggle}>
        <span class="row-text" dir="auto">
          <strong>{describeEvent(type)}</strong> {gistOf(data)}
        </span>
        <span class="badges muted">
          <Time at={at} />
          <span>
            {actor}
            {onBehalfOf !== undefined && ` for ${onBehalfOf}`}
          </span>
          {erased && <Badge tone="warn">erased</Badge>}
          {reason !== undefined && <span class="reason">{reason}</span>}
        </span>
      </button>
      {isOpen && <EventDetails event={event} />}
    </article>
  );
}
