import { useAddress } from '../../app/address.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { Loading, Trouble } from '../../ui/answer.tsx';
import { Bars } from '../../ui/bars.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field, Filters, Select } from '../../ui/field.tsx';
import { fromLocal, toLocal } from '../../ui/local-time.ts';
import { Panel } from '../../ui/page.tsx';
import { Figure } from '../../ui/table.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { describeEvent } from '../audit/describe.ts';
import { ChangeRow } from './change-row.tsx';
import { changesOf, countsOf, grouped, type MemoryChange } from './changes.ts';
import { maxEvents, useChanges } from './use-changes.ts';

/** What changed between two times: which memories came, changed and went, with their texts before and after. */
export function Changed({ begin }: { readonly begin: string }) {
  const { values, set } = useAddress();
  const at = useAt();
  const from = values['from'] || begin;
  const to = values['to'] || at || 'now';
  const by = values['by'] === 'space' ? 'space' : 'day';
  return (
    <Panel title="What changed">
      <Filters aria-label="Between which times">
        <Field
          label="From"
          type="datetime-local"
          value={toLocal(from)}
          onValue={(value) => set({ from: fromLocal(value) })}
        />
        <Field
          label={values['to'] ? 'To' : at === undefined ? 'To (now)' : 'To (the chosen time)'}
          type="datetime-local"
          value={toLocal(values['to'] || at)}
          onValue={(value) => set({ to: fromLocal(value) })}
        />
        <Select
          label="Grouped by"
          value={by}
          onValue={(value) => set({ by: value === 'day' ? undefined : value })}
          choices={[
            ['day', 'day'],
            ['space', 'space'],
          ]}
        />
      </Filters>
      <Between key={`${from} ${to}`} from={from} to={to} by={by} />
    </Panel>
  );
}

type Row =
  | { readonly heading: string; readonly count: number }
  | { readonly group: string; readonly change: MemoryChange };

/** Later than any event, and a time that the API takes. */
const endOfTime = '9999-12-31T23:59:59.999Z';

function Between({
  from,
  to,
  by,
}: {
  readonly from: string;
  readonly to: string;
  readonly by: 'day' | 'space';
}) {
  const { values, set } = useAddress();
  const end = to === 'now' ? endOfTime : to;
  const events = useChanges(from, end);
  if (events.error && events.items.length === 0)
    return <Trouble error={events.error} onRepeat={events.repeat} />;
  if (events.isPending) return <Loading what="the changes" />;
  const changes = changesOf(events.items);
  const count = (kind: MemoryChange['kind']): string =>
    changes.filter((one) => one.kind === kind).length.toLocaleString();
  const rows = grouped(changes, by).flatMap(({ name, changes: own }): readonly Row[] => [
    { heading: name, count: own.length },
    ...own.map((change) => ({ group: name, change })),
  ]);
  if (rows.length === 0)
    return (
      <Empty title="No memory was added, changed or removed between these times">
        Choose an earlier beginning.
      </Empty>
    );
  return (
    <div class="stack">
      {events.isCut && (
        <p class="problem">
          There are more than {maxEvents.toLocaleString()} changes; the oldest are shown. Choose a shorter
          period.
        </p>
      )}
      <div class="figures">
        <Figure name="Added" value={count('added')} tone="good" />
        <Figure name="Changed" value={count('changed')} tone="warn" />
        <Figure name="Removed" value={count('removed')} tone="danger" />
        <Figure name="Added and removed again" value={count('brief')} />
      </div>
      <Bars
        label="Events by type"
        bars={countsOf(events.items).map(([type, value]) => ({ name: describeEvent(type), value }))}
      />
      <VirtualList
        items={rows}
        keyOf={(row) => ('heading' in row ? `heading ${row.heading}` : `${row.group} ${row.change.id}`)}
        rowHeight={58}
        label="Changed memories"
      >
        {(row) =>
          'heading' in row ? (
            <h3 class="group-heading">
              {row.heading} <span class="muted">{row.count.toLocaleString()}</span>
            </h3>
          ) : (
            <ChangeRow
              change={row.change}
              from={from}
              to={to === 'now' ? undefined : to}
              isOpen={values['memory'] === row.change.id}
              onToggle={() => set({ memory: values['memory'] === row.change.id ? undefined : row.change.id })}
            />
          )
        }
      </VirtualList>
    </div>
  );
}
