import { Link } from '../../app/address.tsx';
import { useAt } from '../../app/time-bar.tsx';
import { useAsk } from '../../app/use-ask.ts';
import { Answer } from '../../ui/answer.tsx';
import { Bars } from '../../ui/bars.tsx';
import { Panel } from '../../ui/page.tsx';
import { Figure } from '../../ui/table.tsx';

/** What was known at the chosen time. */
export function Known() {
  const at = useAt();
  const stats = useAsk('stats', [at === undefined ? {} : { asOf: at }], { keepsPrevious: false });
  return (
    <Panel
      title={at === undefined ? 'What is known now' : 'What was known then'}
      actions={<Link to="/memories">See all of it</Link>}
    >
      <Answer of={stats} what="the figures">
        {({ total, layers, spaces }) => (
          <div class="stack">
            <div class="figures">
              <Figure name="Memories" value={total.active.toLocaleString()} />
              <Figure name="Archived" value={total.archived.toLocaleString()} />
              <Figure name="Deleted, restorable" value={total.deleted.toLocaleString()} />
              <Figure name="Characters" value={total.characters.toLocaleString()} />
            </div>
            <div class="grid">
              <Bars
                label="Memories by layer"
                bars={layers.map(({ layer, active }) => ({ name: layer, value: active }))}
              />
              {spaces.length > 0 && (
                <Bars
                  label="Memories by space"
                  bars={spaces
                    .toSorted((one, other) => other.active - one.active)
                    .slice(0, 10)
                    .map(({ space, active }) => ({ name: space, value: active }))}
                />
              )}
            </div>
          </div>
        )}
      </Answer>
    </Panel>
  );
}
