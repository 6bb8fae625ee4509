import type { LoadedEvent, LoadedPage } from '../ports/event-store.ts';
import type { Sql, SqlExecutor } from '../ports/sql.ts';
import { Follower } from '../follow/follower.ts';
import { undivided, type Partitioning, type Positions } from '../follow/partitions.ts';
import { isTransient } from '../follow/transient.ts';
import { tablesOf, type Projection } from './projection.ts';
import type { Tables } from '../read-models/table.ts';

/** A generation cannot be brought to the checkpoints of another one now. */
export class NotLevel extends Error {
  override readonly name = 'NotLevel';
}

/** One generation of one projection: the follower that writes its tables. */
export class Generation extends Follower {
  readonly projection: Projection;
  readonly tables: Tables;

  constructor(sql: Sql, projection: Projection, number: number, partitioning: Partitioning = undivided) {
    const { name, handles, batchSize, largeBatchSize } = projection;
    const tables = tablesOf(number);
    super(
      sql,
      { name, number },
      {
        handles,
        batchSize,
        largeBatchSize,
        prepare: async (events, context) =>
          projection.prepare?.(events, { ...context, tables, generation: number }),
        plan: (events, executor, prepared) => projection.plan(events, executor, tables, prepared),
      },
      partitioning,
    );
    this.projection = projection;
    this.tables = tables;
  }

  /**
   * Brings each partition from its checkpoint in `from` to the one in `to`, those of another generation, inside `tx`, which holds the
   * locks on both. `page` begins at or before the lowest checkpoint of `from`. Rejects with `NotLevel` if the other generation is beyond
   * the page, or an event cannot be applied; `tx` must then be rolled back. The regular processing finds the event that fails.
   */
  async level(tx: SqlExecutor, from: Positions, to: Positions, page: LoadedPage): Promise<void> {
    const parked = new Set(await this.parked.streams(tx));
    const isMissing = (
      { stream, position }: Pick<LoadedEvent, 'stream' | 'position'>,
      type: string,
    ): boolean => {
      const partition = this.partitioning.partitionOf(stream);
      const isBetween = position > (from.get(partition) ?? Infinity) && position <= (to.get(partition) ?? 0);
      return isBetween && this.isHandled(type) && !parked.has(stream);
    };
    const behind = [...to].filter(([partition, position]) => position > (from.get(partition) ?? position));
    const isOutside = behind.some(([, position]) => position > page.scannedTo);
    if (isOutside || page.unreadable.some((event) => isMissing(event, event.type)))
      throw new NotLevel('too far behind the live one');
    const events = page.events.filter((event) => isMissing(event, event.event.type));
    await this.checkpoints.moveTo(tx, behind);
    if (events.length === 0) return;
    try {
      await this.applyIn(tx, events, await this.prepare(events, tx));
    } catch (error) {
      if (isTransient(error)) throw error;
      throw new NotLevel('cannot be brought level with the live one now', { cause: error });
    }
  }

  async digest(executor: SqlExecutor = this.sql): Promise<string> {
    const [digest] = await digestsOf([this], executor);
    return digest!;
  }
}

/** The digests of generations, all read at once: another generation may be changing what they share, such as the kept vectors. */
export async function digestsOf(
  generations: readonly Generation[],
  executor: SqlExecutor,
): Promise<string[]> {
  const queries = generations.map(({ projection, tables }) => `(${projection.digest(tables)})`);
  const [row] = await executor.query<{ digests: string[] }>(`select array[${queries.join(', ')}] as digests`);
  return Promise.all(
    generations.map(async ({ projection, number, tables }, index) => {
      const own = row!.digests[index]!;
      return projection.external
        ? `${own} ${await projection.external.digest(number, executor, tables)}`
        : own;
    }),
  );
}
