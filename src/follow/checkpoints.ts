import type { Sql, SqlExecutor, SqlValue } from '../ports/sql.ts';
import { CheckpointMoved } from './processor.ts';

/** The checkpoint and the parked streams of partitions, as they were read. Writes are guarded by it. */
export interface Checkpoint {
  /** Partitions that move together. */
  readonly partitions: readonly string[];
  readonly position: number;
  readonly parked: ReadonlySet<string>;
}

/** A move of partitions from the checkpoint that was read. */
export interface Move {
  readonly state: Checkpoint;
  readonly to: number;
}

/** A move of one partition's checkpoint past events that change no row. */
export interface Advance {
  readonly of: CheckpointTable;
  readonly partition: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The checkpoints of one follower, one for each partition. Each write is guarded by the checkpoint that was read, so of two processes
 * that handle the same events one writes nothing.
 */
export class CheckpointTable {
  readonly #sql: Sql;
  readonly name: string;
  readonly generation: number;

  constructor(sql: Sql, name: string, generation: number) {
    this.#sql = sql;
    this.name = name;
    this.generation = generation;
  }

  /** One state for each partition. Rejects with `CheckpointMoved` if the generation was dropped. */
  async states(partitions: readonly string[]): Promise<Checkpoint[]> {
    const rows = await this.#sql.query<{ partition: string; position: number; parked: string[] }>(
      `select c.partition, c.position, array(
         select p.stream from follow.parked p
         where p.name = c.name and p.generation = c.generation and p.partition = c.partition) as parked
       from follow.checkpoints c where c.name = $1 and c.generation = $2 and c.partition = any ($3)`,
      [this.name, this.generation, partitions],
    );
    if (rows.length < partitions.length) throw this.moved();
    return rows.map(({ partition, position, parked }) => ({
      partitions: [partition],
      position,
      parked: new Set(parked),
    }));
  }

  /** Rejects with `CheckpointMoved`, and writes nothing, if one of the partitions has moved since it was read. */
  async move(tx: SqlExecutor, moves: readonly Move[]): Promise<void> {
    const places = moves.flatMap(({ state, to }) =>
      state.partitions.map((partition) => ({ partition, from: state.position, to })),
    );
    const parked = moves.reduce((sum, { state }) => sum + state.parked.size, 0);
    const rows = await tx.query<{ parked: number }>(
      `with held as (${this.#lock('update')})
       update follow.checkpoints c set position = a.reached
       from held join unnest($3::text[], $4::bigint[], $5::bigint[]) as a(partition, start, reached) using (partition)
       where c.name = $1 and c.generation = $2 and c.partition = a.partition and c.position = a.start
       returning (select count(*) from follow.parked where name = $1 and generation = $2 and partition = any ($3)) as parked`,
      this.#parameters(places),
      { onePlan: true },
    );
    if (rows.length < places.length || rows[0]!.parked !== parked) throw this.moved();
  }

  /** Locks the checkpoints until `tx` ends. Rejects with `CheckpointMoved` if one of them has moved since it was read. */
  async hold(tx: SqlExecutor, states: readonly Checkpoint[]): Promise<void> {
    const places = states.flatMap(({ partitions, position }) =>
      partitions.map((partition) => ({ partition, from: position })),
    );
    const rows = await tx.query<{ partition: string; position: number }>(this.#lock('share'), [
      this.name,
      this.generation,
      places.map(({ partition }) => partition),
    ]);
    const held = new Map(rows.map(({ partition, position }) => [partition, position]));
    if (places.some(({ partition, from }) => held.get(partition) !== from)) throw this.moved();
  }

  /** Moves partitions to these positions, whatever they were: `tx` holds their locks. */
  async moveTo(
    tx: SqlExecutor,
    positions: readonly (readonly [partition: string, position: number])[],
  ): Promise<void> {
    await tx.query(
      `update follow.checkpoints c set position = a.reached from unnest($3::text[], $4::bigint[]) as a(partition, reached)
       where c.name = $1 and c.generation = $2 and c.partition = a.partition`,
      [
        this.name,
        this.generation,
        positions.map(([partition]) => partition),
        positions.map(([, position]) => position),
      ],
    );
  }

  /** Like `states`, after creating the checkpoints that do not exist, at the beginning of the log. */
  async begin(partitions: readonly string[]): Promise<Checkpoint[]> {
    await this.#sql.query(
      `insert into follow.checkpoints (name, generation, partition) select $1, $2, unnest($3::text[])
       on conflict do nothing`,
      [this.name, this.generation, partitions],
    );
    return this.states(partitions);
  }

  /** In a fixed order, so that two of these statements cannot deadlock. */
  #lock(strength: 'update' | 'share'): string {
    return `select partition, position from follow.checkpoints
      where name = $1 and generation = $2 and partition = any ($3) order by partition for ${strength}`;
  }

  #parameters(places: readonly { partition: string; from: number; to: number }[]): SqlValue[] {
    return [
      this.name,
      this.generation,
      places.map(({ partition }) => partition),
      places.map(({ from }) => from),
      places.map(({ to }) => to),
    ];
  }

  moved(): CheckpointMoved {
    return new CheckpointMoved(`${this.name} generation ${this.generation} moved on or is gone`);
  }
}

/**
 * Writes moves of any generations in one statement. Returns those that were not written: their checkpoints have another position by now
 * or, without `wait`, are locked.
 */
export async function advance(
  sql: Sql,
  advances: readonly Advance[],
  { wait }: { wait: boolean },
): Promise<readonly Advance[]> {
  const rows = await sql.transaction(
    (tx) =>
      tx.query<{ ordinal: number }>(
        `with asked as (
           select * from unnest($1::text[], $2::integer[], $3::text[], $4::bigint[], $5::bigint[])
             with ordinality as a(name, generation, partition, start, reached, ordinal)),
         held as (
           select c.name, c.generation, c.partition from follow.checkpoints c join asked using (name, generation, partition)
           order by c.name, c.generation, c.partition for update of c ${wait ? '' : 'skip locked'})
         update follow.checkpoints c set position = a.reached from held join asked a using (name, generation, partition)
         where c.name = a.name and c.generation = a.generation and c.partition = a.partition and c.position = a.start
         returning a.ordinal`,
        [
          advances.map(({ of }) => of.name),
          advances.map(({ of }) => of.generation),
          advances.map(({ partition }) => partition),
          advances.map(({ from }) => from),
          advances.map(({ to }) => to),
        ],
      ),
    { durable: false },
  );
  const moved = new Set(rows.map(({ ordinal }) => ordinal));
  return advances.filter((_, index) => !moved.has(index + 1));
}
