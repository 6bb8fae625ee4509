import type { AuditedSearch } from '@stratalog/client';
import { Link, useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Bars } from '../../ui/bars.tsx';
import { rounded } from '../../ui/rounded.ts';
import { Button } from '../../ui/button.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Panel } from '../../ui/page.tsx';
import { Facts } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { settingNames, valuesOf } from './lab-settings.ts';
import { nameOf, useMemoryTexts } from './memory-texts.ts';
import { Replay } from './replay.tsx';
import { RouteView, TrajectoryView } from './route.tsx';

/** A search that somebody made: what was asked, what was answered and why, and what became of it. */
export function RecordedSearch({ searchId }: { readonly searchId: string }) {
  const { set } = useAddress();
  const search = useAsk('audit.search', [searchId, {}], { once: true, keepsPrevious: false });
  const close = () => set({ search: undefined, replay: undefined }, 'push');
  return (
    <Panel
      title="Recorded search"
      actions={
        <>
          {search.answer?.request.query !== undefined && (
            <Button
              onClick={() =>
                set(
                  {
                    ...Object.fromEntries(settingNames.map((name) => [name, undefined])),
                    ...valuesOf(search.answer!.request),
                    search: undefined,
                  },
                  'push',
                )
              }
            >
              Ask it again in the lab
            </Button>
          )}
          <Button kind="quiet" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      <Answer of={search} what="the recorded search">
        {(answer) => <RecordedAnswer search={answer} />}
      </Answer>
    </Panel>
  );
}

function RecordedAnswer({ search }: { readonly search: AuditedSearch }) {
  const { may } = useSession();
  const { request, at, outcome, outcomes, trajectory, warnings } = search;
  return (
    <div class="lab-side">
      <p class="empty-title" dir="auto">
        {request.query ?? 'The question was erased.'}
      </p>
      <Facts
        facts={[
          ['Asked', <Time at={at} exact />],
          ['By', search.onBehalfOf === undefined ? search.actor : `${search.actor} for ${search.onBehalfOf}`],
          [
            'Session',
            request.sessionId && (
              <Link to={`/sessions/${encodeURIComponent(request.sessionId)}`}>{request.sessionId}</Link>
            ),
          ],
          ['Settings', settingsInWords(request)],
          ['Model', search.embeddingModel],
          ['Took', `${Math.round(search.durationMs)} ms`],
          ['Warnings', warnings.join(', ')],
          [
            'Outcome',
            <>
              <Badge tone={outcome.kind === 'used' ? 'good' : 'plain'}>{outcome.kind}</Badge>{' '}
              {outcome.quality !== undefined && `quality ${rounded(outcome.quality)} `}
              {outcome.source && `(${outcome.source})`}
              {outcomes.length > 1 && `, of ${outcomes.length} signals`}
            </>,
          ],
        ]}
      />
      <h3>Route</h3>
      <RouteView choice={search} />
      {trajectory && <TrajectoryView trajectory={trajectory} where="of the recorded search" />}
      <h3>Results</h3>
      <RecordedResults search={search} />
      {may('replaySearch') && <Replay searchId={search.searchId} at={at} />}
    </div>
  );
}

function RecordedResults({ search: { results, at, outcome, outcomes } }: { readonly search: AuditedSearch }) {
  const texts = useMemoryTexts(
    results.map(({ memoryId }) => memoryId),
    at,
  );
  const used =
    outcome.kind === 'used' ? new Set(outcomes.flatMap(({ memoryIds }) => memoryIds)) : new Set<string>();
  if (results.length === 0) return <p class="muted">There were no results.</p>;
  return (
    <ol class="results">
      {results.map(({ memoryId, rank, relevance, score, feedback, value, steps }) => (
        <li key={memoryId} class="result">
          <div class="result-head">
            <span class="result-rank">{rank}</span>
            <Link to={`/memories/${memoryId}`}>{nameOf(texts?.get(memoryId)) ?? memoryId}</Link>
            {used.has(memoryId) && <Badge tone="good">used</Badge>}
            {steps && <span class="muted">found by step {steps.join(', ')}</span>}
          </div>
          {texts && (
            <LongText text={texts.get(memoryId)?.content ?? 'Its text was erased, or you cannot see it.'} />
          )}
          <Bars
            label={`Score of result ${rank}`}
            largest={1}
            bars={[
              ...(score === undefined ? [] : [{ name: 'score', value: score }]),
              { name: 'relevance', value: relevance },
              ...(feedback === undefined
                ? []
                : [{ name: 'from feedback', value: feedback, note: 'in log-odds' }]),
              ...(value === undefined ? [] : [{ name: 'from its value', value, note: 'in log-odds' }]),
            ]}
          />
        </li>
      ))}
    </ol>
  );
}

function settingsInWords(request: AuditedSearch['request']): string {
  const { topK, layers, spaces, spaceChoice, tags, order, threshold, filter } = request;
  return [
    `${topK} results`,
    layers && `layers ${layers.join(', ')}`,
    spaces && `spaces ${spaces.join(', ')}`,
    spaceChoice && `chosen: ${spaceChoice.because}`,
    tags && `tags ${tags.join(', ')}`,
    `order ${order}`,
    threshold === undefined ? 'focused' : `threshold ${threshold}`,
    filter && `filter ${JSON.stringify(filter)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
