/** How many requests of one call are under way at a time. */
const mostAtOnce = 8;

/** The results of `work` for each item, in order, a few at a time. After an error nothing more is begun. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      try {
        results[index] = await work(items[index]!);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, items.length) }, worker));
  return results;
}
