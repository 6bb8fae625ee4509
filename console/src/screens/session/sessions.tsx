import { useMemo } from 'preact/hooks';
import { Link, useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { usePages } from '../../app/use-pages.ts';
import { Loading, Trouble } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field, Filters, Select } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { sessionEventTypes } from './events.ts';
import { beginOf, periodNamed, periods } from './periods.ts';
import { recentSessions, type RecentSession } from './recent-sessions.ts';
import { useEventLog } from './use-event-log.ts';

/** The sessions with turns or searches in a period, the latest activity first. */
export default function Sessions() {
  const { values, set } = useAddress();
  const { may } = useSession();
  const at = useAt();
  const period = periodNamed(values['period']);
  const from = useMemo(() => beginOf(period, at === undefined ? Date.now() : Date.parse(at)), [period, at]);
  const log = useEventLog(sessionEventTypes, from, at);
  const turns = usePages('memories.list', [
    {
      layer: ['session'],
      limit: 500,
      ...(from !== undefined && { createdAfter: from }),
      ...(at !== undefined && { asOf: at }),
    },
  ]);
  const wanted = values['name']?.toLowerCase() ?? '';
  const all = useMemo(() => recentSessions(log.events, turns.items), [log.events, turns.items.length]);
  const sessions = all.filter(
    ({ id, actors }) =>
      id.toLowerCase().includes(wanted) || actors.some((one) => one.toLowerCase().includes(wanted)),
  );
  const isPending = turns.isPending || log.isReading;
  return (
    <Page
      title="Sessions"
      question="What was said and asked, what entered the prompt, and did it help?"
      followsTime
    >
      <Filters aria-label="Filters">
        <Field
          label="Session or person"
          type="search"
          isSearch
          pauseMs={300}
          value={values['name'] ?? ''}
          onValue={(name) => set({ name })}
        />
        <Select
          label="Period"
          value={period}
          onValue={(value) => set({ period: value === 'day' ? undefined : value })}
          choices={Object.entries(periods).map(([value, { name }]) => [value, name] as const)}
        />
      </Filters>
      {log.error && <Trouble error={log.error} onRepeat={log.repeat} />}
      {turns.error && <Trouble error={turns.error} onRepeat={turns.repeat} />}
      {log.isCut && (
        <p class="muted" role="status">
          This period has more events than the list reads. Its latest sessions may be missing: choose a
          shorter one.
        </p>
      )}
      {!may('auditEvents') && (
        <p class="muted">These are the sessions whose turns you can see. Searches are shown to auditors.</p>
      )}
      {isPending && <Loading what="the sessions" />}
      {!isPending && sessions.length === 0 && (
        <Empty title={wanted === '' ? 'No session in this period' : 'No session matches this filter'}>
          {wanted === '' ? (
            <>
              A session appears when a conversation is recorded, or when a search or context names a{' '}
              <code>sessionId</code>. Choose a longer period to see older ones.
            </>
          ) : (
            'Remove the filter, or choose a longer period.'
          )}
        </Empty>
      )}
      {sessions.length > 0 && (
        <VirtualList
          items={sessions}
          keyOf={({ id }) => id}
          rowHeight={62}
          onEnd={turns.more}
          label="Sessions"
        >
          {(session) => <SessionRow session={session} />}
        </VirtualList>
      )}
    </Page>
  );
}

/** A minute before a session began: its page starts to read there. */
const shortlyBefore = (at: string): string => new Date(Date.parse(at) - 60_000).toISOString();

function SessionRow({ session }: { readonly session: RecentSession }) {
  const { id, actors, about, firstAt, lastAt, turns, searches, promptTokens, helped, endedAt } = session;
  return (
    <Link class="row" to={`/sessions/${encodeURIComponent(id)}`} values={{ from: shortlyBefore(firstAt) }}>
      <span class="row-text" dir="auto">
        <b>{id}</b> {about}
      </span>
      <span class="badges muted">
        {turns > 0 && <Badge>{counted(turns, 'turn')}</Badge>}
        {searches > 0 && <Badge>{counted(searches, 'search', 'searches')}</Badge>}
        {searches > 0 && <Badge tone={helped > 0 ? 'good' : 'plain'}>{helped} used</Badge>}
        {promptTokens > 0 && <Badge tone="accent">{counted(promptTokens, 'prompt token')}</Badge>}
        {endedAt !== undefined && endedAt >= lastAt && <Badge>ended</Badge>}
        <Time at={lastAt} />
        <span>{actors.join(', ')}</span>
      </span>
    </Link>
  );
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
