/**
 * Moves each superseded item directly behind the newest item that supersedes it. If that one comes later in the list, it moves to the
 * place of the first item that it supersedes. All other items keep their order. `newestOf` returns the id of the newest item; an item
 * whose successor is not among `items` stays where it is.
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
