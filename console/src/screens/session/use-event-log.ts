import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AuditEvent } from '@stratalog/client';
import { useLiveEvents } from '../../app/live.tsx';
import { useSession } from '../../app/session.tsx';
import { usePages, useReadUpTo } from '../../app/use-pages.ts';

/** At most this many are read. Whoever needs more chooses a shorter period. */
const maxEvents = 3_000;
const pageSize = 500;

export interface EventLog {
  readonly events: readonly AuditEvent[];
  /** Whether more are being read. */
  readonly isReading: boolean;
  /** Whether the period has more events than are read. */
  readonly isCut: boolean;
  readonly error: Error | null;
  readonly repeat: () => void;
}

/**
 * Events of some types in the order of the log, from one time to another, or to now and then on as they happen. Empty for roles that may
 * not read the audit.
 */
export function useEventLog(
  types: readonly string[],
  from: string | undefined,
  to: string | undefined,
): EventLog {
  const { may } = useSession();
  const mayRead = may('auditEvents');
  const pages = usePages(
    'audit.events',
    [
      {
        type: types,
        limit: pageSize,
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      },
    ],
    { enabled: mayRead, once: true },
  );
  const isCut = useReadUpTo(pages, maxEvents);
  const [live, setLive] = useState<readonly AuditEvent[]>([]);
  useEffect(() => setLive([]), [from, to]);
  useLiveEvents((arrived) => {
    const kept = to === undefined ? arrived.filter(({ type }) => types.includes(type)) : [];
    if (kept.length > 0) setLive((before) => [...before, ...kept].slice(-maxEvents));
  });
  const events = useMemo(() => {
    const known = new Set(pages.items.map(({ id }) => id));
    return [...pages.items, ...live.filter(({ id }) => !known.has(id))];
  }, [pages.items.length, live]);
  return {
    events,
    isReading: mayRead && (pages.isPending || (pages.hasMore && !isCut)) && !pages.error,
    isCut,
    error: mayRead ? pages.error : null,
    repeat: pages.repeat,
  };
}
