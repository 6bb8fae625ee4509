import { priorUses } from '../domain/learning/memory-value.ts';
import type { ReadView } from './read-models.ts';
import type { Parameters } from './sql-builder.ts';

/** The user whose uses of memories count; those of callers without a user always do. */
export type Asker = string | undefined;

/** The SQL expressions of the memory whose uses are read. */
interface Keys {
  readonly tenant: string;
  readonly memoryId: string;
}

// The same operations in the same order as in JavaScript, so that a filter finds exactly the importance that is shown.
const uses = 'coalesce(sum(v.uses), 0)::float8';
const expected = 'coalesce(sum(v.expected), 0)::float8 / 1000000';

/** SQL for what `importanceOf` computes, from the rows `v` of `usesSql`. */
export const importanceSql = `to_jsonb((${uses} + ${priorUses}) / (${uses} + ${expected} + ${2 * priorUses}))`;

/** SQL for a `MemoryUse` as JSON: how often a memory was used, as far as the asker may know. Never null. */
export function useSql(
  view: Pick<ReadView, 'table'>,
  asker: Asker,
  keys: Keys,
  parameters: Parameters,
): string {
  return usesSql(
    view,
    asker,
    keys,
    `jsonb_build_object('uses', ${uses}, 'expected', ${expected})`,
    parameters,
  );
}

/** SQL for an aggregate of the uses `v` of a memory. There is one row, also if nothing was used. */
export function usesSql(
  view: Pick<ReadView, 'table'>,
  asker: Asker,
  { tenant, memoryId }: Keys,
  aggregate: string,
  parameters: Parameters,
): string {
  const own = asker === undefined ? `v.asker = ''` : `v.asker in ('', ${parameters.bind(asker)})`;
  return `(select ${aggregate} from ${view.table('values')} v
    where v.tenant = ${tenant} and v.memory_id = ${memoryId} and ${own})`;
}
