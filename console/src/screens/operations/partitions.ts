import type { ListProjectionsAnswer } from '@stratalog/client';
import { liveOf } from './read-model-state.ts';

interface PartitionRow {
  /** Name of the read model. */
  readonly name: string;
  /** Position in each partition. */
  readonly positions: Readonly<Record<string, number>>;
}

/** How far each live read model is in each partition of the log. Empty if the log has one. */
export function partitionsOf({ items }: Pick<ListProjectionsAnswer, 'items'>): {
  readonly partitions: readonly string[];
  readonly rows: readonly PartitionRow[];
} {
  const rows = items.flatMap((item) => {
    const partitions = liveOf(item)?.partitions;
    if (!partitions) return [];
    const positions = Object.fromEntries(partitions.map((one) => [one.partition, one.position]));
    return [{ name: item.name, positions }];
  });
  const names = new Set(rows.flatMap(({ positions }) => Object.keys(positions)));
  const partitions = [...names].toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  return { partitions, rows };
}
