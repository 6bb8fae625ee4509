import type { Review } from '@stratalog/client';
import { Badge } from '../../ui/badge.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { kindName } from './decisions.ts';
import type { Refusal } from './use-decisions.ts';

interface ReviewListProps {
  readonly reviews: readonly Review[];
  readonly current: number;
  readonly selected: ReadonlySet<string>;
  readonly refusals: Readonly<Record<string, Refusal | undefined>>;
  readonly onOpen: (id: string) => void;
  readonly onSelect: (id: string) => void;
  readonly onEnd: () => void;
  readonly onStart: () => void;
}

/** What waits, a line each, to choose from and to select for a decision about many. */
export function ReviewList({
  reviews,
  current,
  selected,
  refusals,
  onOpen,
  onSelect,
  onEnd,
  onStart,
}: ReviewListProps) {
  return (
    <VirtualList
      items={reviews}
      keyOf={({ id }) => id}
      rowHeight={58}
      onEnd={onEnd}
      onStart={onStart}
      label="Reviews"
      current={current}
    >
      {({ id, kind, memory }, index) => (
        <div class={index === current ? 'review-row current' : 'review-row'}>
          <input
            type="checkbox"
            checked={selected.has(id)}
            onChange={() => onSelect(id)}
            aria-label={`Select: ${memory.content.slice(0, 60)}`}
          />
          <button
            type="button"
            aria-current={index === current ? 'true' : undefined}
            onClick={() => onOpen(id)}
          >
            <span class="row-text" dir="auto">
              {memory.content}
            </span>
            <span class="badges muted">
              <Badge tone="warn">{kindName(kind)}</Badge>
              {refusals[id] && <Badge tone="danger">refused</Badge>}
              <span>{memory.createdBy}</span>
            </span>
          </button>
        </div>
      )}
    </VirtualList>
  );
}
