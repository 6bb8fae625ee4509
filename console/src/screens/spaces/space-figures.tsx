import type { Space, SpaceStats } from '@stratalog/client';
import { Bars } from '../../ui/bars.tsx';
import { Panel } from '../../ui/page.tsx';
import { bytesText, usdText } from '../../ui/quantity.ts';
import { Facts, Figure } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { UsageMeter } from './usage-meter.tsx';

/** What a space holds, uses and costs. */
export function SpaceFigures({ space, stats }: { readonly space: Space; readonly stats: SpaceStats }) {
  const { total, access, retention, quota, embedding, lag } = stats;
  const { usage } = space;
  return (
    <Panel
      title="What it holds"
      note={stats.coverage === 'visible' ? 'of what you can see' : 'of the whole tenant'}
    >
      <div class="figures">
        <Figure
          name="memories"
          value={total.active.toLocaleString()}
          note={`${total.archived.toLocaleString()} archived, ${total.deleted.toLocaleString()} deleted`}
        />
        <Figure name="never used" value={access.neverUsed.toLocaleString()} note="by a search or context" />
        <Figure name="uses" value={access.total.toLocaleString()} />
        {retention && (
          <Figure
            name="to be deleted now"
            value={retention.memories.toLocaleString()}
            note={`older than ${retention.days.toLocaleString()} days`}
            {...(retention.memories > 0 && { tone: 'warn' })}
          />
        )}
        {embedding && <Figure name="without a vector" value={embedding.waiting.toLocaleString()} />}
        {lag.events > 0 && <Figure name="events not counted yet" value={lag.events.toLocaleString()} />}
      </div>
      <Facts
        facts={[
          [
            'size',
            <UsageMeter
              key="size"
              used={quota?.usedBytes ?? total.bytes}
              allowed={quota?.limitBytes}
              textOf={bytesText}
              label="Size"
            />,
          ],
          ...(
            [
              ['cost today', usage.spentTodayUsd, space.dailyBudgetUsd],
              ['cost this month', usage.spentThisMonthUsd, space.monthlyBudgetUsd],
            ] as const
          ).map(
            ([name, used, allowed]) =>
              [
                name,
                used !== undefined && (
                  <UsageMeter key={name} used={used} allowed={allowed} textOf={usdText} label={name} />
                ),
              ] as const,
          ),
          ['oldest', stats.oldestAt && <Time key="oldest" at={stats.oldestAt} />],
          ['newest', stats.newestAt && <Time key="newest" at={stats.newestAt} />],
          ['last used', access.lastAt && <Time key="last" at={access.lastAt} />],
          ['kept for ever', stats.kept > 0 && stats.kept.toLocaleString()],
          ['with an end of their own', stats.expiring > 0 && stats.expiring.toLocaleString()],
          ['the next ends', stats.nextExpiryAt && <Time key="next" at={stats.nextExpiryAt} />],
        ]}
      />
      <Bars
        label="Active memories by layer"
        bars={stats.layers.map(({ layer, active }) => ({ name: layer, value: active }))}
      />
    </Panel>
  );
}
