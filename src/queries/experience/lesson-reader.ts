import type { TenantContext } from '../../domain/access/context.ts';
import { visible, type Placement } from '../../domain/access/visibility.ts';
import type { Fallback } from '../../domain/grounding/fallback.ts';
import { fingerprintOf, invalidCursor, readCursor, writeCursor } from '../cursors.ts';
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

/** A lesson as the reactor of lessons needs it. */
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
  readonly position: number;
}

export interface LessonPage {
  readonly items: readonly ShownLesson[];
  /** A lesson that is revised between two pages changes its place: it may come twice, or not at all. */
  readonly nextCursor?: string;
  readonly position: number;
}

const fingerprint = fingerprintOf({ list: 'lessons' });

/** Of two lessons, the one with the better record comes first, then the newer one. */
const rankOf = (support: string, failures: string, position: string): string =>
  `((${support} + 1)::float8 / (${support} + ${failures} + 2), ${support}, ${position})`;
const rank = rankOf('l.support', 'l.failures', 'l.position');

export class LessonReader {
  readonly #models: ReadModels;

  constructor(models: ReadModels) {
    this.#models = models;
  }

  /** The lessons that the caller can see, best first; with `traceIds` those that are drawn from one of them. */
  list(
    caller: TenantContext,
    asked: {
      readonly traceIds?: readonly string[];
      readonly limit: number;
      readonly cursor?: string | undefined;
    } & Wait,
  ): Promise<LessonPage> {
    const { traceIds, limit, cursor, ...wait } = asked;
    const after = cursor === undefined ? undefined : placeIn(readCursor(cursor, fingerprint));
    return this.#models.read({ projections: ['lessons', 'traces', 'memories'], ...wait }, async (view) => {
      const { tenant } = caller;
      const parameters = new Parameters();
      const region = { tenant, visibility: visible(caller) };
      const condition = allOf([
        regionCondition(region, 'l', parameters),
        ...(traceIds ? [`l.traces && ${parameters.bind(traceIds)}::text[]`] : []),
        ...(after ? [`${rank} < ${rankOf(...boundTo(parameters, after))}`] : []),
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
         order by ${rank} desc limit ${parameters.bind(limit + 1)}`,
        parameters.values,
      );
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(shownOf),
        ...(last && rows.length > limit && { nextCursor: writeCursor(cursorOf(last), fingerprint) }),
        position: view.position,
      };
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

type Place = readonly [support: number, failures: number, position: number];

const cursorOf = ({ support, failures, position }: LessonRow): string => `${support}-${failures}-${position}`;

function placeIn(written: string): Place {
  const [, ...numbers] = /^(\d{1,15})-(\d{1,15})-(\d{1,15})$/.exec(written) ?? [];
  if (numbers.length === 0) throw invalidCursor();
  return numbers.map(Number) as unknown as Place;
}

function boundTo(
  parameters: Parameters,
  place: Place,
): [support: string, failures: string, position: string] {
  const [support, failures, position] = place.map((number) => `${parameters.bind(number)}::bigint`);
  return [support!, failures!, position!];
}
