import type { PolicyVersion } from '@stratalog/client';
import { rounded } from '../../ui/rounded.ts';
import { Chart } from '../../ui/chart.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { rewardsByDay } from './verdicts.ts';

/** Mean reward of the questions by day, a line for each version that chose their routes. */
export function Rewards({ items }: { readonly items: readonly PolicyVersion[] }) {
  const { days, series } = rewardsByDay(items);
  return (
    <Panel title="Reward over time" note="mean of a day, −1 to 1, by the version that was in force">
      {days.length === 0 && (
        <Empty title="No question has a known outcome yet">
          Rewards appear when callers post outcomes, or end their sessions.
        </Empty>
      )}
      {days.length > 1 && (
        <Chart
          label="Mean reward by day and version"
          x={days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1_000)}
          series={series}
        />
      )}
      {days.length > 0 && (
        <Table
          label="Rewards by version"
          rows={items.filter(({ observed }) => observed !== undefined && observed.days.length > 0)}
          keyOf={({ version }) => version}
          columns={[
            { name: 'Version', cell: ({ version }) => version },
            { name: 'Days', cell: ({ observed }) => daysText(observed!.days.map(({ day }) => day)) },
            {
              name: 'Questions with an outcome',
              isNumber: true,
              cell: ({ observed }) => observed!.decisions.toLocaleString(),
            },
            { name: 'Mean reward', isNumber: true, cell: ({ observed }) => rounded(meanOf(observed!.days)) },
          ]}
        />
      )}
      <p class="muted">
        Different versions chose for different questions, so these rewards do not say which version is better:
        the estimated gains do.
      </p>
    </Panel>
  );
}

type Days = NonNullable<PolicyVersion['observed']>['days'];

function meanOf(days: Days): number {
  const count = days.reduce((sum, { decisions }) => sum + decisions, 0);
  return days.reduce((sum, { decisions, reward }) => sum + decisions * reward, 0) / Math.max(1, count);
}

function daysText(days: readonly string[]): string {
  const sorted = days.toSorted();
  const [first, last] = [sorted[0], sorted.at(-1)];
  return first === last ? `${first}` : `${first} to ${last}`;
}
