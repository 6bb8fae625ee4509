/**
 * Moves each item that is superseded directly behind the newest item that supersedes it, which takes its place if it is
 * further back. All other items keep their order. `newestOf` gives the id of that item; an item whose successor is not
 * among `items` stays where it is.
 */
export function successorsFirst<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  newestOf: (id: string) => string | undefined,
): Item[] {
  const byId = new Map(items.map((item) => [idOf(item), item]));
  const predecessors = new Map<string, Item[]>();
  for (const item of items) {
    const newest = newestOf(idOf(item));
    if (newest === undefined || !byId.has(newest)) continue;
    const known = predecessors.get(newest);
    if (known) known.push(item);
    else predecessors.set(newest, [item]);
  }
  const arranged = new Set<Item>();
  for (const item of items) {
    const newest = newestOf(idOf(item));
    const head = (newest !== undefined && byId.get(newest)) || item;
    arranged.add(head);
    for (const predecessor of predecessors.get(idOf(head)) ?? []) arranged.add(predecessor);
    arranged.add(item);
  }
  return [...arranged];
}
