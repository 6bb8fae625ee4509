import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../ports/sql.ts';
import { idsByTenant, type MemoryRef, type Surface } from '../ports/surface.ts';
import type { Generation } from './generation.ts';
import type { Projection } from './projection.ts';

const pollMs = 50;
/** How long a read model may take to apply an erasure. */
const waitMs = 30_000;

interface ReadModelParts {
  readonly sql: Sql;
  /** All generations of a read model that this program maintains. */
  readonly generationsOf: (name: string) => Promise<readonly Generation[]>;
}

/** The read models that hold content of memories. They forget a memory by its erasure in the log. */
export function readModelSurfaces(
  projections: readonly Projection[],
  { sql, generationsOf }: ReadModelParts,
): Surface[] {
  return projections.flatMap(({ name, holds }) => {
    if (typeof holds !== 'function') return [];
    const count = async (memories: readonly MemoryRef[]): Promise<number> => {
      let total = 0;
      for (const { tables } of await generationsOf(name))
        for (const [tenant, ids] of idsByTenant(memories)) {
          const [row] = await sql.query<{ readonly count: number }>(holds(tables), [tenant, [...ids]]);
          total += row!.count;
        }
      return total;
    };
    const forget = async (_: readonly MemoryRef[], position: number): Promise<void> => {
      const deadline = performance.now() + waitMs;
      while (!(await hasApplied(sql, name, position))) {
        if (performance.now() > deadline)
          throw new Error(`the read model ${name} has not applied an erasure within ${waitMs / 1_000} s`);
        await sleep(pollMs);
      }
    };
    return [{ name, count, forget }];
  });
}

/** Whether every generation of a read model has applied the log up to a position. */
async function hasApplied(sql: Sql, name: string, position: number): Promise<boolean> {
  const [row] = await sql.query<{ readonly reached: number | null }>(
    'select min(position) as reached from follow.checkpoints where name = $1 and generation > 0',
    [name],
    { onePlan: true },
  );
  return (row?.reached ?? position) >= position;
}
