import type { ListProjectionsAnswer } from '@stratalog/client';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Bars } from '../../ui/bars.tsx';
import { Panel } from '../../ui/page.tsx';
import { Figure } from '../../ui/table.tsx';
import { Parked } from './parked.tsx';
import { ReadModel } from './read-model.tsx';
import { byUrgency, lagsOf, totalsOf } from './read-model-state.ts';

const refreshMs = 5_000;
const rebuildMs = 1_000;

/** How far read models and reactors are behind the log, and the commands for those that need a hand. */
export function ReadModels() {
  const asked = useAsk('admin.projections.list', [{}], { everyMs: refreshMs });
  const isBuilding = asked.answer?.items.some(({ rebuilding }) => rebuilding !== undefined) ?? false;
  return (
    <>
      {isBuilding && <Faster />}
      <Answer of={asked} what="the read models">
        {(answer) => <Followers answer={answer} />}
      </Answer>
    </>
  );
}

/** While something is rebuilt, its progress is asked for every second. */
function Faster() {
  useAsk('admin.projections.list', [{}], { everyMs: rebuildMs });
  return null;
}

function Followers({ answer }: { readonly answer: ListProjectionsAnswer }) {
  const { items, reactors } = answer;
  const totals = totalsOf(answer);
  const lags = lagsOf(answer);
  return (
    <div class="stack">
      <div class="figures">
        <Figure
          name="Furthest behind"
          value={totals.largestLag.toLocaleString()}
          note={totals.furthest === undefined ? 'all are up to date' : `positions: ${totals.furthest}`}
        />
        <Figure
          name="Parked streams"
          value={totals.parked.toLocaleString()}
          {...(totals.parked > 0 && { tone: 'danger' as const })}
        />
        <Figure name="Being rebuilt" value={totals.rebuilding.toLocaleString()} />
        <Figure name="Ready to switch to" value={totals.ready.toLocaleString()} />
        <Figure
          name="Run by no process"
          value={totals.unattended.toLocaleString()}
          {...(totals.unattended > 0 && { tone: 'warn' as const })}
        />
      </div>
      <Parked answer={answer} />
      {lags.length > 0 && (
        <Panel title="Behind the log" note="positions that are not applied yet">
          <Bars label="Positions behind the log" bars={lags} />
        </Panel>
      )}
      <Panel title="Read models" note="those that need a hand first">
        <ul class="followers">
          {byUrgency(items).map((item) => (
            <ReadModel key={item.name} model={item} />
          ))}
        </ul>
      </Panel>
      <Panel title="Reactors" note="what works by itself on what happens">
        <ul class="followers compact">
          {reactors.map(({ name, lag, lock, position, error, parked }) => (
            <li key={name}>
              <strong>{name}</strong>
              <span class="badges">
                <Badge tone={lag === 0 ? 'good' : 'plain'}>
                  {lag === 0 ? 'up to date' : `${lag.toLocaleString()} behind`}
                </Badge>
                {lock === 'free' && <Badge tone="warn">run by no process</Badge>}
                {lock === 'elsewhere' && <Badge>in another process</Badge>}
                {parked.length > 0 && <Badge tone="danger">{parked.length} parked</Badge>}
                <span class="muted">at {position.toLocaleString()}</span>
              </span>
              {error !== undefined && <p class="problem">{error}</p>}
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  );
}
