import type { ComponentChildren } from 'preact';
import type { Pages } from '../app/use-pages.ts';
import { Loading, Trouble } from './answer.tsx';
import { VirtualList } from './virtual-list.tsx';

interface PagedAnswerProps<Item> {
  readonly of: Pages<Item>;
  /** What is loaded, as in "Loading the memories". */
  readonly what: string;
  /** Shown instead of an empty list. */
  readonly empty: ComponentChildren;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

/** The items of a list; until there are any, a note that it is loading, empty or failed. Items stay while a repetition fails. */
export function PagedAnswer<Item>({ of, what, empty, children }: PagedAnswerProps<Item>) {
  const { items, error, isPending, repeat } = of;
  return (
    <>
      {error && <Trouble error={error} onRepeat={repeat} />}
      {isPending && !error && <Loading what={what} />}
      {!isPending && !error && items.length === 0 && empty}
      {items.length > 0 && children(items)}
    </>
  );
}

interface PagedListProps<Item> extends Omit<PagedAnswerProps<Item>, 'children'> {
  readonly label: string;
  /** Height of a row in pixels, before it was measured. */
  readonly rowHeight: number;
  readonly children: (item: Item) => ComponentChildren;
}

/** A long list that asks for its next page when its end comes into view. */
export function PagedList<Item extends { readonly id: string }>({
  of,
  label,
  rowHeight,
  children,
  ...others
}: PagedListProps<Item>) {
  return (
    <PagedAnswer of={of} {...others}>
      {(items) => (
        <VirtualList
          items={items}
          keyOf={({ id }) => id}
          rowHeight={rowHeight}
          onEnd={of.more}
          onStart={of.shorten}
          label={label}
        >
          {children}
        </VirtualList>
      )}
    </PagedAnswer>
  );
}
