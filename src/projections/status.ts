import type { ModelComparison } from '../domain/retrieval/model-comparison.ts';
import type { LeaseHolder } from '../ports/leases.ts';
import type { SqlExecutor } from '../ports/sql.ts';
import { readGenerations, type GenerationRow, type GenerationState } from './generations.ts';
import { leastOf, type Positions } from '../follow/partitions.ts';
import type { RebuildProgress } from './rebuild.ts';

export interface GenerationStatus {
  readonly generation: number;
  readonly state: GenerationState;
  readonly signature: string;
  readonly active: boolean;
  /** Which process keeps it up to date: this one, another, or none. */
  readonly lock: LeaseHolder | 'free';
  /** The lowest of its checkpoints. */
  readonly position: number;
  /** If it has several. */
  readonly partitions?: readonly PartitionStatus[];
  /** Distance to the head of the log, in positions. */
  readonly lag: number;
  readonly digest?: string;
  /** Whether the live generation had the same digest at the same checkpoint. */
  readonly equal?: boolean;
  /** For vectors of another model than the live ones: how the answers of both compare. */
  readonly comparison?: ModelComparison;
  /** Why it failed, was not compared, or, while it is being built, is stalled. */
  readonly error?: string;
  /** While it is being built: since when `error` has stalled it, RFC 3339. */
  readonly failingSince?: string;
}

export interface PartitionStatus {
  readonly partition: string;
  readonly position: number;
}

export interface ParkedStream {
  /** The generation that cannot apply the event. Another one may be able to. */
  readonly generation: number;
  readonly stream: string;
  readonly position: number;
  readonly type: string;
  readonly error: string;
}

export interface ProjectionStatus {
  readonly name: string;
  readonly generations: readonly GenerationStatus[];
  /** The parked streams of all generations. */
  readonly parked: readonly ParkedStream[];
  /** Progress of a rebuild in this process. */
  readonly rebuilding?: RebuildProgress;
}

/** The parked streams of the live generation, whose latest events queries do not see. */
export function parkedInLive({ generations, parked }: ProjectionStatus): readonly ParkedStream[] {
  const live = generations.find(({ active }) => active);
  return parked.filter(({ generation }) => generation === live?.generation);
}

/** The generations of every read model and their parked streams. `head` is the head of the log. */
export async function readStatus(
  sql: SqlExecutor,
  head: number,
  holders: ReadonlyMap<string, LeaseHolder>,
): Promise<ProjectionStatus[]> {
  const rows = await readGenerations(sql);
  const parked = await sql.query<ParkedStream & { name: string }>(
    'select name, generation, stream, position, type, error from follow.parked where generation > 0 order by generation, position',
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
    checkpoints,
    digest,
    equal,
    comparison,
    error,
    failingSince,
  }: GenerationRow & { active: boolean },
  head: number,
  holders: ReadonlyMap<string, LeaseHolder>,
): GenerationStatus {
  const position = leastOf(checkpoints);
  return {
    generation,
    state,
    signature,
    active,
    lock: holders.get(`${name}/${generation}`) ?? 'free',
    position,
    ...(checkpoints.size > 1 && { partitions: partitionStatus(checkpoints) }),
    lag: Math.max(0, head - position),
    ...(digest !== null && { digest }),
    ...(equal !== null && { equal }),
    ...(comparison !== null && { comparison }),
    ...(error !== null && { error }),
    ...(failingSince !== null && { failingSince: failingSince.toISOString() }),
  };
}

function partitionStatus(checkpoints: Positions): PartitionStatus[] {
  return [...checkpoints]
    .map(([partition, position]) => ({ partition, position }))
    .sort((left, right) => left.partition.localeCompare(right.partition, 'en', { numeric: true }));
}
