import type { TenantContext } from '../../domain/access/context.ts';
import { visible, type Placement } from '../../domain/access/visibility.ts';
import type { Fallback } from '../../domain/claims/fallback.ts';
import type { ReadModels, Wait } from '../read-models.ts';
import { exactly, regionCondition, scopeIn } from '../scope-sql.ts';
import { allOf, Parameters } from '../sql-builder.ts';

export interface ShownLesson extends Placement {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly content: string;
  readonly support: number;
  readonly failures: number;
  readonly model: string;
  readonly fallback?: Fallback;
  /** Ids of the traces that its marks name. */
  readonly sources: readonly string[];
  readonly revisedAt: string;
}

/** A lesson as the process manager of lessons needs it. */
export interface LessonSources extends Placement {
  readonly lessonId: string;
  readonly traceIds: readonly string[];
}

interface LessonRow extends Record<string, unknown> {
  readonly lesson_id: string;
  readonly layer: Placement['layer'];
  readonly traces: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly content: string;
  readonly support: number;
  readonly failures: number;
  readonly model: string;
  readonly fallback: Fallback | null;
  readonly cited: readonly string[];
  readonly revised_at: Date;
}

/** Of two lessons, the one with the better record comes first. */
const bestFirst = '(support + 1)::float8 / (support + failures + 2) desc, support desc, position desc';

export class LessonReader {
  readonly #models: ReadModels;

  constructor(models: ReadModels) {
    this.#models = models;
  }

  /** The lessons that the caller can see, best first; with `traceIds` those that are drawn from one of them. */
  list(
    caller: TenantContext,
    asked: { readonly traceIds?: readonly string[]; readonly limit: number } & Wait,
  ): Promise<{ readonly items: readonly ShownLesson[]; readonly position: number }> {
    const { traceIds, limit, ...wait } = asked;
    return this.#models.read({ projections: ['lessons', 'traces', 'memories'], ...wait }, async (view) => {
      const { tenant } = caller;
      const parameters = new Parameters();
      const region = { tenant, visibility: visible(caller) };
      const condition = allOf([
        regionCondition(region, 'l', parameters),
        ...(traceIds ? [`l.traces && ${parameters.bind(traceIds)}::text[]`] : []),
        // A trace that was erased has no row, and one whose memory was erased is about to be. The lesson that quotes it is about to
        // be revised.
        `not exists (
           select 1 from unnest(l.traces) source(id)
           left join ${view.table('traces')} t on t.tenant = l.tenant and t.trace_id = source.id::uuid
           where t.trace_id is null or exists (
             select 1 from jsonb_array_elements_text(t.trace->'memoryIds') used(id) where (
               select true from ${view.table('memories')} m
               where m.tenant = l.tenant and m.memory_id = used.id::uuid and m.to_position is null limit 1) is null))`,
      ]);
      const rows = await this.#models.sql.queryAs<LessonRow>(
        tenant,
        `select l.* from ${view.table('lessons')} l where ${condition}
         order by ${bestFirst} limit ${parameters.bind(limit)}`,
        parameters.values,
      );
      return { items: rows.map(shownOf), position: view.position };
    });
  }

  /** The lessons that are drawn from one of these traces; with a placement only those of exactly this layer and scope. */
  drawnFrom(
    tenant: string,
    traceIds: readonly string[],
    { placement, ...wait }: { readonly placement?: Placement } & Wait,
  ): Promise<LessonSources[]> {
    return this.#models.read({ projections: ['lessons'], ...wait }, async (view) => {
      const parameters = new Parameters();
      const condition = allOf([
        placement ? exactly(tenant, placement, 'l', parameters) : `l.tenant = ${parameters.bind(tenant)}`,
        `l.traces && ${parameters.bind(traceIds)}::text[]`,
      ]);
      const rows = await this.#models.sql.queryAs<LessonRow>(
        tenant,
        `select l.* from ${view.table('lessons')} l where ${condition} order by l.support desc, l.lesson_id`,
        parameters.values,
      );
      return rows.map((row) => ({
        lessonId: row.lesson_id,
        layer: row.layer,
        scope: scopeIn(row),
        traceIds: row.traces,
      }));
    });
  }
}

function shownOf(row: LessonRow): ShownLesson {
  const { lesson_id: id, layer, title, description, content, support, failures, model, fallback } = row;
  return {
    id,
    title,
    description,
    content,
    support,
    failures,
    model,
    ...(fallback && { fallback }),
    sources: row.cited,
    layer,
    scope: scopeIn(row),
    revisedAt: row.revised_at.toISOString(),
  };
}
