import { useState } from 'preact/hooks';
import { Link, useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { layers } from '../../app/vocabulary.ts';
import { Answer } from '../../ui/answer.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field, Filters, Select } from '../../ui/field.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { bytesText } from '../../ui/quantity.ts';
import { LayerMap } from './layer-map.tsx';
import { NewSummary } from './new-summary.tsx';
import { ScopeSummaries } from './scope-summaries.tsx';
import { byScope } from './scopes.ts';
import { SummarySettingsPanel } from './summary-settings.tsx';
import './layers.css';

const depths = ['sentence', 'paragraph', 'detailed'] as const;
/** How long and how often new summaries are looked for after somebody asked for them. */
const awaitedMs = 60_000;
const lookMs = 2_000;
/** How long the server may take to read the past from the log. */
const pastWaitMs = 15_000;

/** The layers with what they hold, and the summaries of their scopes. */
export default function Layers() {
  const { values, set } = useAddress();
  const { may } = useSession();
  const at = useAt();
  const layer = layers.find((one) => one === values['layer']);
  const depth = depths.find((one) => one === values['depth']);
  const { user } = values;
  const [awaitedUntil, setAwaitedUntil] = useState(0);
  const onAsked = () => setAwaitedUntil(Date.now() + awaitedMs);
  const past = at === undefined ? {} : { asOf: at, waitMs: pastWaitMs };
  const stats = useAsk('stats', [past]);
  const summaries = useAsk(
    'summaries.list',
    [{ ...(layer && { layer }), ...(depth && { depth }), ...(user && { user }), ...past }],
    { ...(Date.now() < awaitedUntil && { everyMs: lookMs }) },
  );
  return (
    <Page title="Layers" question="What does each layer hold, and what is it about?" followsTime>
      <Panel
        title="The seven layers"
        note={
          stats.answer &&
          `${stats.answer.total.active.toLocaleString()} memories, ${bytesText(stats.answer.total.bytes)}${
            stats.answer.coverage === 'visible' ? ', of what you can see' : ''
          }`
        }
        {...(layer && {
          actions: (
            <Link to="/memories" values={{ layer }}>
              Memories of the layer {layer}
            </Link>
          ),
        })}
      >
        <Answer of={stats} what="the layers">
          {(answer) => <LayerMap stats={answer} />}
        </Answer>
      </Panel>
      <h2>Summaries{layer === undefined ? '' : ` of the layer ${layer}`}</h2>
      <Filters aria-label="Which summaries">
        <Select
          label="Layer"
          value={layer ?? ''}
          onValue={(value) => set({ layer: value })}
          choices={[['', 'All layers'], ...layers.map((name) => [name, name] as const)]}
        />
        <Select
          label="Depth"
          value={depth ?? ''}
          onValue={(value) => set({ depth: value })}
          choices={[['', 'All depths'], ...depths.map((name) => [name, name] as const)]}
        />
        <Field
          label="Made for this user (empty: for everybody)"
          value={user ?? ''}
          onValue={(value) => set({ user: value })}
        />
      </Filters>
      <Answer of={summaries} what="the summaries">
        {({ items, warnings }) => (
          <div class="stack">
            {warnings.map(({ code, detail }) => (
              <p key={code} class="as-of">
                {detail}
              </p>
            ))}
            {items.length === 0 && (
              <Empty title="No summaries here yet">
                They are made by the settings of a layer, when a context needs them, or when somebody asks:
                choose a layer and name a scope below.
              </Empty>
            )}
            {byScope(items).map((scope) => (
              <ScopeSummaries key={scope.key} of={scope} isPresent={at === undefined} onAsked={onAsked} />
            ))}
          </div>
        )}
      </Answer>
      {layer && at === undefined && may('refreshSummary') && (
        <NewSummary key={layer} layer={layer} onAsked={onAsked} />
      )}
      {layer && may('summarySettings') && <SummarySettingsPanel key={layer} layer={layer} />}
    </Page>
  );
}
