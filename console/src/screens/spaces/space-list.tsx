import type { Space } from '@stratalog/client';
import type { ComponentChildren } from 'preact';
import { Link } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { bytesText, usdText } from '../../ui/quantity.ts';
import { Time } from '../../ui/time.tsx';
import { UsageMeter } from './usage-meter.tsx';

const million = 1_000_000;

/** All spaces with what they hold, cost and keep. */
export function SpaceList({ spaces }: { readonly spaces: readonly Space[] }) {
  return (
    <ul class="space-list" aria-label="Spaces">
      {spaces.map((space) => (
        <li key={space.id}>
          <SpaceName space={space} />
          <dl>
            {cellsOf(space).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

function cellsOf(space: Space): (readonly [name: string, value: ComponentChildren])[] {
  const { id, usage, maxSizeMb, retentionDays, dedupStrategy } = space;
  const costs = [
    ['Cost today', usage.spentTodayUsd, space.dailyBudgetUsd],
    ['Cost this month', usage.spentThisMonthUsd, space.monthlyBudgetUsd],
  ] as const;
  return [
    ['Memories', usage.memories.toLocaleString()],
    [
      'Size',
      <UsageMeter
        key="size"
        used={usage.bytes}
        allowed={maxSizeMb === undefined ? undefined : maxSizeMb * million}
        textOf={bytesText}
        label={`Size of ${id}`}
      />,
    ],
    ...costs.flatMap(([name, used, allowed]) =>
      used === undefined
        ? []
        : [
            [
              name,
              <UsageMeter
                key={name}
                used={used}
                allowed={allowed}
                textOf={usdText}
                label={`${name} of ${id}`}
              />,
            ] as const,
          ],
    ),
    ['Keeps', retentionDays === undefined ? 'for ever' : `${retentionDays.toLocaleString()} days`],
    ['Duplicates', dedupStrategy],
  ];
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
