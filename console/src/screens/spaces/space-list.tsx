import type { Space } from '@stratalog/client';
import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Table } from '../../ui/table.tsx';
import { bytesText, usdText } from '../../ui/quantity.ts';
import { Time } from '../../ui/time.tsx';
import { UsageMeter } from './usage-meter.tsx';

const million = 1_000_000;

/** All spaces with what they hold, cost and keep. */
export function SpaceList({ spaces }: { readonly spaces: readonly Space[] }) {
  return (
    <Table
      label="Spaces"
      rows={spaces}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Space', cell: (space) => <SpaceName space={space} /> },
        { name: 'Memories', cell: ({ usage }) => usage.memories.toLocaleString(), isNumber: true },
        {
          name: 'Size',
          cell: ({ id, usage, maxSizeMb }) => (
            <UsageMeter
              used={usage.bytes}
              allowed={maxSizeMb === undefined ? undefined : maxSizeMb * million}
              textOf={bytesText}
              label={`Size of ${id}`}
            />
          ),
        },
        {
          name: 'Cost today',
          cell: ({ id, usage, dailyBudgetUsd }) =>
            usage.spentTodayUsd !== undefined && (
              <UsageMeter
                used={usage.spentTodayUsd}
                allowed={dailyBudgetUsd}
                textOf={usdText}
                label={`Cost of ${id} today`}
              />
            ),
        },
        {
          name: 'Cost this month',
          cell: ({ id, usage, monthlyBudgetUsd }) =>
            usage.spentThisMonthUsd !== undefined && (
              <UsageMeter
                used={usage.spentThisMonthUsd}
                allowed={monthlyBudgetUsd}
                textOf={usdText}
                label={`Cost of ${id} this month`}
              />
            ),
        },
        {
          name: 'Keeps',
          cell: ({ retentionDays }) =>
            retentionDays === undefined ? 'for ever' : `${retentionDays.toLocaleString()} days`,
        },
        { name: 'Duplicates', cell: ({ dedupStrategy }) => dedupStrategy },
      ]}
    />
  );
}

/** The name of a space, and what needs a hand there. */
export function SpaceName({ space }: { readonly space: Space }) {
  const { id, configured, usage, missingModels = [] } = space;
  return (
    <span class="space-name">
      <Link to="/spaces" values={{ id }}>
        {id}
      </Link>
      <span class="badges">
        {!configured && <Badge>label only</Badge>}
        {usage.exhaustedUntil !== undefined && (
          <Badge tone="danger">
            budget used up until <Time at={usage.exhaustedUntil} exact />
          </Badge>
        )}
        {missingModels.map((field) => (
          <Badge key={field} tone="warn">
            the server lacks its {field === 'llmModel' ? 'language' : 'embedding'} model
          </Badge>
        ))}
      </span>
    </span>
  );
}
