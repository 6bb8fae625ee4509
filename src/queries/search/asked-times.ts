import { anyOf, allOf, occurredOrRecorded } from '../../domain/build-filter.ts';
import type { Filter } from '../../domain/filter.ts';
import { asksTime, type AskedTimes } from '../../domain/ranking/dates.ts';
import type { SqlExecutor } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import { Parameters } from '../sql-builder.ts';
import type { CandidateRequest, CandidateRow } from './candidates.ts';
import { lookupsOf } from './lookups.ts';
import type { Pool } from './pool.ts';

/** So many are found within the periods that a question names, beside those that are found anywhere. */
export const perEngineWithin = 20;

/**
 * What lies in the periods that a question names, and passes `filter`; undefined where it names none. No index has it in the
 * order of a query: it is for memories that are compared one by one.
 */
export function withinPeriods({ periods }: AskedTimes, filter: Filter | undefined): Filter | undefined {
  if (periods.length === 0) return undefined;
  const within = anyOf(periods.map(occurredOrRecorded));
  return filter ? allOf([filter, within]) : within;
}

/** What lies in the periods asked about, and how little that is. */
export interface WithinPeriods {
  readonly filter: Filter;
  readonly pool: Pool | undefined;
}

/** By meaning, which needs no index for what is compared one by one; by words where there is none. */
export function lookWithin(
  { dense, words }: CandidateRequest,
  { filter, pool }: WithinPeriods,
): Pick<CandidateRequest, 'filter' | 'words' | 'perEngine' | 'pool' | 'inMemory'> {
  return {
    filter,
    words: dense ? [] : words,
    perEngine: perEngineWithin,
    // Few lie within: they are compared one by one.
    inMemory: undefined,
    pool: pool && { ...pool, counted: pool.counted && !dense },
  };
}

/** Where times are asked about, a memory that does not tell its own is as old as its record. */
export async function withTimes(
  tx: SqlExecutor,
  view: ReadView,
  tenant: string,
  rows: readonly CandidateRow[],
  times: AskedTimes,
): Promise<readonly CandidateRow[]> {
  const untold = rows.filter((row) => row.occurred_at === null).map((row) => row.memory_id);
  if (untold.length === 0 || !asksTime(times)) return rows;
  const parameters = new Parameters();
  const lookup = lookupsOf(tenant, parameters);
  const recorded = await tx.query<{ memory_id: string; created_at: Date }>(
    `select found.memory_id, m.created_at from unnest(${parameters.bind(untold)}::uuid[]) as found(memory_id)
     cross join ${lookup('t.created_at', view.table('memories'), 't.to_position is null')} m`,
    parameters.values,
  );
  const recordedAt = new Map(recorded.map((row) => [row.memory_id, row.created_at]));
  return rows.map((row) => ({
    ...row,
    occurred_at: row.occurred_at ?? recordedAt.get(row.memory_id) ?? null,
  }));
}
