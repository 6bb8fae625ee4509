import type { SqlExecutor } from '../../ports/sql.ts';
import type { Near, UnitVector, VectorIndex, VectorSet } from '../../ports/vector-index.ts';
import type { ReadView } from '../read-models.ts';
import { regionCondition } from '../scope-sql.ts';
import { Parameters } from '../sql-builder.ts';
import { otherSignal, type Compared, type EngineHit } from './both-signals.ts';
import { filterJoin, hasFilters, type MemoryFilters } from './filter-join.ts';
import { lookupsOf } from './lookups.ts';

/** For each that is wanted so many of the nearest are looked up: a few may have gone in this moment. */
const spare = 1.2;
/** Where region and filters take some of them away, and nobody knows how many: so many, and then so many times more. */
const narrowing = 8;
/** Where it is known what share they leave: so many times what that asks for. */
const excess = 1.5;

export interface NearestRequest extends MemoryFilters, Compared {
  /** How many are wanted. */
  readonly perEngine: number;
  /** What share of the tenant region and filters leave, where it is known. */
  readonly share?: number | undefined;
  /** The ids of what they leave at most, where those are looked among. */
  readonly among?: readonly string[] | undefined;
}

/** The vectors of the tenant in memory, compared with the query's. Both answer undefined where they are not there. */
export interface InMemory {
  /** Of all, or of those in `among`. */
  nearest(limit: number, among?: readonly string[]): Promise<readonly Near[] | undefined>;
  cosines(ids: readonly string[]): readonly (number | null)[] | undefined;
}

/** As `tx` sees them. */
export function inMemoryOf(
  index: VectorIndex,
  tx: SqlExecutor,
  set: VectorSet,
  vector: UnitVector,
): InMemory {
  return {
    nearest: (limit, among) => index.nearest(tx, set, vector, limit, among),
    cosines: (ids) => index.cosines(set, vector, ids),
  };
}

/**
 * What the vectors in memory say, looked up in the database, which knows who may see what. Undefined where they are not there, or
 * so few of the nearest are within region and filters that all of these are better compared.
 */
export async function nearestInMemory(
  tx: SqlExecutor,
  view: ReadView,
  request: NearestRequest,
  inMemory: InMemory,
): Promise<readonly EngineHit[] | undefined> {
  const { among, perEngine } = request;
  for (const limit of [...depthsOf(request), ...(among ? [Infinity] : [])]) {
    const near = await inMemory.nearest(limit, among);
    if (!near) return undefined;
    const hits = await lookedUp(tx, view, request, near);
    if (hits.length >= perEngine || near.length < limit) return hits;
  }
  return undefined;
}

/** So many of the best of all are looked up, one after the other, until enough of them are within region and filters. */
export function depthsOf({
  perEngine,
  share,
  among,
  ...request
}: Omit<NearestRequest, 'weighted'>): readonly number[] {
  // Nearly all of those that are looked among pass.
  const known = among ? 1 : share;
  const first = known ? excess / known : narrowing;
  const depths = isNarrowed(request) ? [first, first * narrowing] : [spare, narrowing];
  return depths.map((depth) => Math.ceil(depth * perEngine));
}

function isNarrowed({ region, ...filters }: MemoryFilters & Pick<NearestRequest, 'region'>): boolean {
  const { visibility, layers, scope } = region;
  return hasFilters(filters) || visibility !== 'all' || layers !== undefined || scope !== undefined;
}

function lookedUp(
  tx: SqlExecutor,
  view: ReadView,
  request: NearestRequest,
  near: readonly Near[],
): Promise<EngineHit[]> {
  const parameters = new Parameters();
  const { perEngine } = request;
  const ids = parameters.bind(near.map(({ id }) => id));
  const cosines = parameters.bind(near.map(({ cosine }) => cosine));
  const all = `unnest(${ids}::uuid[], ${cosines}::float8[]) with ordinality as found(memory_id, cosine, place)`;
  // Words are counted of those that pass, not of each that is asked about.
  const passing = isNarrowed(request) ? `(${passingOf(all, view, request, parameters)}) found` : all;
  const { words } = otherSignal(view, request, parameters);
  return tx.query<EngineHit>(
    `select found.memory_id, found.cosine, l.* from ${passing} cross join ${words('found')} l
     order by found.cosine desc limit ${parameters.bind(perEngine)}`,
    parameters.values,
  );
}

function passingOf(all: string, view: ReadView, request: NearestRequest, parameters: Parameters): string {
  const { region, perEngine } = request;
  const inReach = `t.body is not null and ${regionCondition(region, 't', parameters)}`;
  const lookup = lookupsOf(region.tenant, parameters);
  return `select found.* from ${all} cross join ${lookup('true', view.table('lexical'), inReach)} l
    ${filterJoin(view, request, 'found', parameters)} order by found.place limit ${parameters.bind(perEngine)}`;
}
