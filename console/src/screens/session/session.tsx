import { useMemo } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Link, useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { usePages } from '../../app/use-pages.ts';
import { Loading, Trouble } from '../../ui/answer.tsx';
import { rounded } from '../../ui/rounded.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { Figure } from '../../ui/table.tsx';
import { EndSession } from './end-session.tsx';
import { sessionEventTypes } from './events.ts';
import { TimelineEntry } from './timeline-entry.tsx';
import { figuresOf, timelineOf, type SessionFigures } from './timeline.ts';
import { useEventLog } from './use-event-log.ts';
import './session.css';

/** How far back the page reads if its address has no start time. */
const monthMs = 30 * 86_400_000;

/** One session: its turns, searches and contexts in the order of time. */
export default function Session() {
  const id = decodeURIComponent(useRoute().params['id'] ?? '');
  const { values } = useAddress();
  const { may } = useSession();
  const at = useAt();
  const from = useMemo(
    () => values['from'] ?? new Date((at ? Date.parse(at) : Date.now()) - monthMs).toISOString(),
    [values['from'], at],
  );
  const log = useEventLog(sessionEventTypes, from, at);
  const turns = usePages('memories.list', [
    {
      layer: ['session'],
      filter: { 'scope.session': { eq: id } },
      order: 'oldest',
      limit: 500,
      ...(at !== undefined && { asOf: at }),
    },
  ]);
  const models = useAsk('models', [], { enabled: may('models') });
  const entries = useMemo(
    () => timelineOf(id, turns.items, log.events),
    [id, turns.items.length, log.events],
  );
  const figures = figuresOf(entries, models.answer?.items ?? []);
  const isPending = turns.isPending || log.isReading;
  return (
    <Page
      title={`Session ${id}`}
      question="What entered the prompt, what did it cost, and did it help?"
      followsTime
      actions={
        may('endSession') &&
        at === undefined && <EndSession id={id} withoutOutcome={figures.withoutOutcome} />
      }
    >
      <p class="muted">
        <Link to="/sessions">All sessions</Link>
      </p>
      {turns.error && <Trouble error={turns.error} onRepeat={turns.repeat} />}
      {log.error && <Trouble error={log.error} onRepeat={log.repeat} />}
      {log.isCut && (
        <p class="muted" role="status">
          More events have been recorded since this session began than the page reads. Its latest searches may
          be missing: choose an earlier time at the top.
        </p>
      )}
      {entries.length > 0 && <Figures figures={figures} hasSearches={may('auditEvents')} />}
      {isPending && <Loading what="the session" />}
      {!isPending && entries.length === 0 && (
        <Empty title="No turn or search of this session">
          It may be older than 30 days, belong to others, or have another name.
        </Empty>
      )}
      <ol class="timeline" aria-label="Timeline">
        {entries.map((entry) => (
          <TimelineEntry key={keyOf(entry)} entry={entry} />
        ))}
      </ol>
      {turns.hasMore && <Button onClick={turns.more}>More turns</Button>}
    </Page>
  );
}

function keyOf(entry: Parameters<typeof TimelineEntry>[0]['entry']): string {
  if (entry.kind === 'turn') return entry.turn.id;
  return entry.kind === 'search' ? entry.search.id : entry.at;
}

function Figures({
  figures,
  hasSearches,
}: {
  readonly figures: SessionFigures;
  readonly hasSearches: boolean;
}) {
  const { turns, searches, contexts, promptTokens, searchTokens, usd, helped, meanReward } = figures;
  return (
    <div class="figures">
      <Figure name="Turns" value={turns} />
      {hasSearches && (
        <>
          <Figure name="Searches" value={searches} note={`${contexts} for contexts`} />
          <Figure name="Tokens in prompts" value={promptTokens.toLocaleString()} />
          <Figure
            name="Cost of searching"
            value={usd === undefined ? 'price unknown' : `$${rounded(usd)}`}
            note={`${searchTokens.toLocaleString()} tokens, at the models’ present prices`}
          />
          <Figure
            name="Helped"
            value={`${helped} of ${searches}`}
            {...(searches > 0 && helped === searches && { tone: 'good' as const })}
            note="answers that were used"
          />
          {meanReward !== undefined && (
            <Figure name="Mean reward" value={rounded(meanReward)} note="−1 to 1, with the default weights" />
          )}
        </>
      )}
    </div>
  );
}
