import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useQueryClient } from '@tanstack/preact-query';
import { ProblemError, type AuditEvent } from '@stratalog/client';
import { useSession } from './session.tsx';
import { refreshable } from './use-ask.ts';

/** How often views are refreshed while events arrive. */
const refreshMs = 2_000;
/** How often listeners get the events that have arrived: batches keep a thousand events a second at a few calls. */
const batchMs = 200;
const reconnectMs = 3_000;
/** After a shorter interruption the stream continues where it ended, after a longer one from now on: there may be millions of events. */
const maxMissedMs = 5 * 60_000;

/** Events that record a read. They refresh nothing: a view would otherwise refresh because of its own reads, forever. */
const readings: ReadonlySet<string> = new Set([
  'AuditRead',
  'MemoriesAccessed',
  'SearchPerformed',
  'ContextAssembled',
  'TrajectoryRecorded',
  'LanguageModelCalled',
  'CostReserved',
  'CostIncurred',
  'UseObserved',
]);

export type LiveState = 'off' | 'connecting' | 'live' | 'lost';

type Listener = (events: readonly AuditEvent[]) => void;

interface Live {
  readonly state: LiveState;
  readonly listen: (listener: Listener) => () => void;
}

const LiveContext = createContext<Live>({ state: 'off', listen: () => () => undefined });

export const useLiveState = (): LiveState => useContext(LiveContext).state;

/** Calls `listener` with the events of the tenant as they happen, a few times a second. Only auditors and admins get any. */
export function useLiveEvents(listener: Listener): void {
  const { listen } = useContext(LiveContext);
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => listen((events) => latest.current(events)), [listen]);
}

/** Follows the audit stream from now on, if the role may read it, and refreshes the views when something changes. */
export function LiveProvider({ children }: { readonly children: ComponentChildren }) {
  const { client, may, id } = useSession();
  const queries = useQueryClient();
  const [state, setState] = useState<LiveState>('off');
  const listeners = useRef(new Set<Listener>());
  const mayFollow = may('auditEvents');

  useEffect(() => {
    if (!mayFollow) return setState('off');
    const ended = new AbortController();
    let stream = new AbortController();
    let batch: AuditEvent[] = [];
    let isStale = false;
    /** Position of the last event, or where the stream began. */
    let last: string | undefined;
    let lostAt: number | undefined;
    let tickedAt = Date.now();
    const deliver = setInterval(() => {
      // After a sleep of the computer, the stream would bring everything that happened meanwhile.
      if (Date.now() - tickedAt > maxMissedMs) {
        last = undefined;
        stream.abort();
      }
      tickedAt = Date.now();
      if (batch.length === 0) return;
      const events = batch;
      batch = [];
      isStale ||= events.some(({ type }) => !readings.has(type));
      for (const listener of listeners.current) listener(events);
    }, batchMs);
    const refresh = setInterval(() => {
      if (!isStale || document.hidden) return;
      isStale = false;
      void queries.invalidateQueries(refreshable);
    }, refreshMs);
    const follow = async (): Promise<void> => {
      while (!ended.signal.aborted) {
        setState('connecting');
        stream = new AbortController();
        const signal = AbortSignal.any([ended.signal, stream.signal]);
        try {
          const { log } = await client.readiness({ signal });
          const now = 'position' in log ? log.position : undefined;
          if (lostAt !== undefined) {
            // What changed meanwhile may never arrive as an event.
            isStale = true;
            if (Date.now() - lostAt > maxMissedMs) last = undefined;
          }
          last ??= now;
          lostAt = undefined;
          setState('live');
          for await (const event of client.audit.follow({ ...(last && { after: last }) }, { signal })) {
            batch.push(event);
            last = event.position;
          }
        } catch (error) {
          if (ended.signal.aborted) return;
          // The position may be one of a log that was replaced.
          if (error instanceof ProblemError) last = undefined;
        }
        lostAt ??= Date.now();
        setState('lost');
        await new Promise((resolve) => setTimeout(resolve, reconnectMs));
      }
    };
    void follow();
    return () => {
      ended.abort();
      clearInterval(deliver);
      clearInterval(refresh);
    };
  }, [client, id, mayFollow, queries]);

  const live = useMemo<Live>(
    () => ({
      state,
      listen(listener) {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
    }),
    [state],
  );
  return <LiveContext.Provider value={live}>{children}</LiveContext.Provider>;
}
