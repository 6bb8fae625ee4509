import type { ModelComparison } from '../domain/retrieval/model-comparison.ts';
import type { LeaseHolder } from '../ports/leases.ts';
import type { SqlExecutor } from '../ports/sql.ts';
import { readGenerations, type GenerationRow, type GenerationState } from './generations.ts';
import { leastOf, type Bookmarks } from './partitions.ts';
import type { RebuildProgress } from './rebuild.ts';

export interface GenerationStatus {
  readonly generation: number;
  readonly state: GenerationState;
  readonly signature: string;
  readonly active: boolean;
  /** Which process keeps it up with the log: this one, another, or none. */
  readonly lock: LeaseHolder | 'free';
  /** The least of its bookmarks. */
  readonly position: number;
  /** Where it has several. */
  readonly partitions?: readonly PartitionStatus[];
  /** How far it is behind the head of the log, in positions. */
  readonly lag: number;
  readonly digest?: string;
  /** Whether the live one had the same digest at the same bookmark. */
  readonly equal?: boolean;
  /** Of vectors of another model than the live ones: how the answers of both compare. */
  readonly comparison?: ModelComparison;
  /** Why it failed, was not compared, or, while it is being built, cannot go on now. */
  readonly error?: string;
  /** While it is being built: since when `error` keeps it from going on, RFC 3339. */
  readonly failingSince?: string;
}

export interface PartitionStatus {
  readonly partition: string;
  readonly position: number;
}

export interface ParkedStream {
  /** One generation may be able to apply what another one cannot. */
  readonly generation: number;
  readonly stream: string;
  readonly position: number;
  readonly type: string;
  readonly error: string;
}

export interface ProjectionStatus {
  readonly name: string;
  readonly generations: readonly GenerationStatus[];
  /** In all generations. */
  readonly parked: readonly ParkedStream[];
  /** Of a rebuild that runs in this process. */
  readonly rebuilding?: RebuildProgress;
}

/** The streams that queries lack. */
export function parkedInLive({ generations, parked }: ProjectionStatus): readonly ParkedStream[] {
  const live = generations.find(({ active }) => active);
  return parked.filter(({ generation }) => generation === live?.generation);
}

/** The generations of every read model, and what is parked in them. `head` is that of the log. */
export async function readStatus(
  sql: SqlExecutor,
  head: number,
  holders: ReadonlyMap<string, LeaseHolder>,
): Promise<ProjectionStatus[]> {
  const rows = await readGenerations(sql);
  const parked = await sql.query<ParkedStream & { name: string }>(
    'select name, generation, stream, position, type, error from read.parked order by generation, position',
  );
  return [...new Set(rows.map(({ name }) => name))].map((name) => ({
    name,
    generations: rows.filter((row) => row.name === name).map((row) => statusOf(row, head, holders)),
    parked: parked.filter((row) => row.name === name).map(({ name: _, ...row }) => row),
  }));
}

function statusOf(
  {
    name,
    generation,
    state,
    signature,
    active,
    bookmarks,
    digest,
    equal,
    comparison,
    error,
    failingSince,
  }: GenerationRow & { active: boolean },
  head: number,
  holders: ReadonlyMap<string, LeaseHolder>,
): GenerationStatus {
  const position = leastOf(bookmarks);
  return {
    generation,
    state,
    signature,
    active,
    lock: holders.get(`${name}/${generation}`) ?? 'free',
    position,
    ...(bookmarks.size > 1 && { partitions: partitionStatus(bookmarks) }),
    lag: Math.max(0, head - position),
    ...(digest !== null && { digest }),
    ...(equal !== null && { equal }),
    ...(comparison !== null && { comparison }),
    ...(error !== null && { error }),
    ...(failingSince !== null && { failingSince: failingSince.toISOString() }),
  };
}

function partitionStatus(bookmarks: Bookmarks): PartitionStatus[] {
  return [...bookmarks]
    .map(([partition, position]) => ({ partition, position }))
    .sort((left, right) => left.partition.localeCompare(right.partition, 'en', { numeric: true }));
}
