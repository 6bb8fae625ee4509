import type { AuditEvent } from '@stratalog/client';
import { useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { excerpt } from '../../ui/excerpt.ts';
import { Time } from '../../ui/time.tsx';
import { chainOf } from './causes.ts';
import { describeEvent, gistOf } from './describe.ts';

/** How far before and after an event its causes and effects are searched. */
const windowMs = 300_000;
const limit = 500;

/** What led to an event, and what it led to. */
export function CauseChain({ event }: { readonly event: AuditEvent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Button kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide causes and effects' : 'Causes and effects'}
      </Button>
      {isOpen && <Chain event={event} />}
    </div>
  );
}

function Chain({ event }: { readonly event: AuditEvent }) {
  const { set } = useAddress();
  const at = Date.parse(event.at);
  const time = (distance: number): string => new Date(at + distance).toISOString();
  const before = useAsk('audit.events', [{ from: time(-windowMs), to: time(1), order: 'newest', limit }], {
    once: true,
  });
  const after = useAsk('audit.events', [{ from: event.at, to: time(windowMs), limit }], { once: true });
  return (
    <Answer of={before} what="what led to it">
      {({ items }) => {
        const links = chainOf(event, [...items, ...(after.answer?.items ?? [])]);
        return (
          <>
            <ol class="chain">
              {links.map(({ event: one, depth }) => (
                <li key={one.id} style={{ marginLeft: `${Math.min(depth, 8) * 16}px` }}>
                  <button
                    type="button"
                    class="button quiet"
                    aria-current={one.id === event.id}
                    onClick={() => set({ correlation: one.correlationId, event: one.id }, 'push')}
                  >
                    {describeEvent(one.type)}
                  </button>{' '}
                  <span class="muted">
                    {excerpt(gistOf(one.data), 80)} · {one.actor} · <Time at={one.at} exact />
                  </span>
                </li>
              ))}
            </ol>
            <p class="muted">
              Only the nearest {limit} events within five minutes before and after it were searched.
            </p>
          </>
        );
      }}
    </Answer>
  );
}
