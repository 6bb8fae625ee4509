import type { TenantContext } from '../domain/access/context.ts';
import { visible } from '../domain/access/visibility.ts';
import { inconsistencySteps, type Inconsistencies } from '../domain/consistency/detect-inconsistencies.ts';
import type { CitedLink } from '../domain/consistency/verdict.ts';
import { Problem } from '../domain/problems.ts';
import { isMemoryId } from '../domain/streams.ts';
import type { EventLog } from '../ports/event-log.ts';
import { runInSlices } from '../support/time-slice.ts';
import { joinUsage, memoryColumns, memoryOf, type MemoryRow } from './memory-row.ts';
import type { ReadModels, ReadView } from './read-models.ts';
import { regionCondition } from './scope-sql.ts';
import { Parameters } from './sql-builder.ts';
import { readSupersessions } from './supersessions.ts';

export interface ValidateRequest {
  readonly ids: readonly string[];
  readonly minPosition?: number | undefined;
  readonly waitMs?: number | undefined;
}

export interface Validated extends Inconsistencies {
  /** Ids without an active memory that the caller can see. Unknown, hidden, deleted and foreign ids are not distinguished. */
  readonly notFound: readonly string[];
  /** How many memories were compared. */
  readonly compared: number;
  readonly position: number;
}

/**
 * Finds which of these memories contradict or supersede each other, and why, without a language model. If one is not in the
 * read models yet and the request names no position, waits until they have caught up with the log, for at most `waitMs`.
 */
export async function validateMemories(
  log: EventLog,
  models: ReadModels,
  caller: TenantContext,
  { ids, minPosition, waitMs }: ValidateRequest,
): Promise<Validated> {
  const distinct = [...new Set(ids)];
  const upTo = (position: number | undefined) =>
    models.read(
      { projections: ['links', 'memories', 'usage', 'feedback', 'values'], minPosition: position, waitMs },
      (view) => validateIn(models, view, caller, distinct),
    );
  const known = await upTo(minPosition);
  if (minPosition !== undefined || !known.notFound.some(isMemoryId)) return known;
  const head = await log.head();
  if (head <= known.position) return known;
  try {
    return await upTo(head);
  } catch (error) {
    // If the read models are too far behind, answer with the memories that they have.
    if (error instanceof Problem && error.code === 'position-timeout') return known;
    throw error;
  }
}

async function validateIn(
  models: ReadModels,
  view: ReadView,
  caller: TenantContext,
  distinct: readonly string[],
): Promise<Validated> {
  const rows = await readVisibleMemories(models, view, caller, distinct.filter(isMemoryId));
  const found = rows.map(({ memory_id: id }) => id);
  const [supersessions, contradicts] = await Promise.all([
    readSupersessions(models.sql, view, caller, found),
    readContradictions(models, view, caller.tenant, found),
  ]);
  const known = new Set(found);
  return {
    ...(await runInSlices(inconsistencySteps(rows.map(memoryOf), { supersessions, contradicts }))),
    notFound: distinct.filter((id) => !known.has(id)),
    compared: found.length,
    position: view.position,
  };
}

/** The active memories with these ids that the caller may see. */
export function readVisibleMemories(
  models: ReadModels,
  view: ReadView,
  caller: TenantContext,
  ids: readonly string[],
): Promise<MemoryRow[]> {
  const parameters = new Parameters();
  const region = regionCondition({ tenant: caller.tenant, visibility: visible(caller) }, 'm', parameters);
  return models.sql.queryAs<MemoryRow>(
    caller.tenant,
    `select ${memoryColumns(view, caller.user, parameters)} from ${view.table('memories')} m ${joinUsage(view.table('usage'))}
     where m.memory_id = any (${parameters.bind(ids)}::uuid[]) and m.to_position is null and m.state = 'active' and ${region}`,
    parameters.values,
  );
}

/** Contradiction links between these memories. The caller can see both ends. */
function readContradictions(
  models: ReadModels,
  view: ReadView,
  tenant: string,
  ids: readonly string[],
): Promise<CitedLink[]> {
  return models.sql.queryAs<CitedLink & Record<string, unknown>>(
    tenant,
    `select l.source, l.type, l.target, l.confidence from ${view.table('links')} l
     where l.tenant = $1 and l.source = any ($2::uuid[]) and l.target = any ($2::uuid[])
       and l.type = 'contradicts' and l.to_position is null
     order by l.source, l.target`,
    [tenant, ids],
  );
}
