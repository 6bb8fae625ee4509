import type { ComponentChildren } from 'preact';
import { useEffect, useReducer, useRef } from 'preact/hooks';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';

/** How long a list must be still before its place is kept: browsers limit how often that may happen. */
const keepMs = 150;

interface VirtualListProps<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Height of a row in pixels, before it was measured. */
  readonly rowHeight: number;
  readonly children: (item: Item, index: number) => ComponentChildren;
  /** Called when the end comes into view. */
  readonly onEnd?: (() => void) | undefined;
  /** Called when the beginning comes into view. */
  readonly onStart?: (() => void) | undefined;
  readonly label: string;
  /** The row that comes into view when it changes. */
  readonly current?: number | undefined;
}

/** Indexes of the first visible rows of the lists of a view, by label, in an entry of the browser's history. */
const keptRows = (): Readonly<Record<string, number>> =>
  ((history.state ?? {}) as { rows?: Readonly<Record<string, number>> }).rows ?? {};

/** Keeps the first visible row in the browser's history, so that Back returns to it. */
function useKeptRow(label: string, row: number | undefined): void {
  useEffect(() => {
    if (row === undefined || row === (keptRows()[label] ?? 0)) return undefined;
    const keep = (): void =>
      history.replaceState({ ...history.state, rows: { ...keptRows(), [label]: row } }, '');
    const timer = setTimeout(keep, keepMs);
    return () => clearTimeout(timer);
  }, [label, row]);
}

/** A long list that renders only its visible rows. */
export function VirtualList<Item>({
  items,
  keyOf,
  rowHeight,
  children,
  onEnd,
  onStart,
  label,
  current,
}: VirtualListProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, update] = useReducer((count: number) => count + 1, 0);
  const list = useRef<Virtualizer<HTMLDivElement, HTMLElement>>();
  list.current ??= new Virtualizer<HTMLDivElement, HTMLElement>({
    count: 0,
    getScrollElement: () => null,
    estimateSize: () => rowHeight,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    initialOffset: () => (keptRows()[label] ?? 0) * rowHeight,
  });
  const virtual = list.current;
  virtual.setOptions({
    ...virtual.options,
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keyOf(items[index]!),
    overscan: 8,
    onChange: () => update(undefined),
  });
  // The adapters of the library for frameworks call these two as well.
  // oxlint-disable-next-line no-underscore-dangle
  useEffect(() => virtual._didMount(), [virtual]);
  // oxlint-disable-next-line no-underscore-dangle
  useEffect(() => virtual._willUpdate());
  useKeptRow(label, virtual.range?.startIndex);
  useEffect(() => {
    if (current !== undefined && current >= 0) virtual.scrollToIndex(current);
  }, [current]);
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index;
  useEffect(() => {
    if (last !== undefined && last >= items.length - 5) onEnd?.();
  }, [last, items.length]);
  const isAtStart = rows[0]?.index === 0;
  useEffect(() => {
    if (isAtStart) onStart?.();
  }, [isAtStart, items.length]);
  return (
    <div ref={scroller} class="virtual" tabIndex={0} role="list" aria-label={label}>
      <div style={{ height: `${virtual.getTotalSize()}px` }}>
        {rows.map(({ key, index, start }) => (
          <div
            key={key}
            ref={(element) => virtual.measureElement(element)}
            data-index={index}
            role="listitem"
            style={{ transform: `translateY(${start}px)` }}
          >
            {children(items[index]!, index)}
          </div>
        ))}
      </div>
    </div>
  );
}
