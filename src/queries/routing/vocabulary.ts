import { LRUCache } from 'lru-cache';
import type { TenantContext } from '../../domain/access/context.ts';
import { visible, visibleInCounts, type Visibility } from '../../domain/access/visibility.ts';
import { groupBy } from '../../domain/group-by.ts';
import { kindOfField, type ValueKind } from '../../domain/routing/planner/ordered-values.ts';
import type { FieldValue, KnownField, KnownValue, Vocabulary } from '../../domain/routing/vocabulary.ts';
import type { VocabularyRequest } from '../../domain/routing/vocabulary-request.ts';
import type { ReadModels, ReadView, Wait } from '../read-models.ts';
import { regionCondition } from '../scope-sql.ts';
import { Parameters } from '../sql-builder.ts';
import { TenantSurface } from '../tenant-surface.ts';

/** Maximum age of cached fields while memories are written. Reading them scans every value of the tenant. */
const maxAgeMs = 30_000;
const maxCached = 1_000;
/** Maximum number of values read for a question: those with the most memories. */
const maxValues = 5_000;

interface KindRow extends Record<string, unknown> {
  field: string;
  kind: ValueKind;
  memories: number;
  values: number;
}

interface ValueRow extends Record<string, unknown> {
  field: string;
  /** The value as JSON. */
  value: string;
  key: string;
  memories: number;
}

const prefixOf = (tenant: string): string => JSON.stringify([tenant]);

interface CachedFields {
  readonly fields: readonly KnownField[];
  readonly position: number;
  readonly generation: number;
  readonly readAt: number;
}

/** Reads the field names and values that occur in a tenant's memories, as far as a caller may see them. */
export class VocabularyReader {
  readonly #models: ReadModels;
  readonly #now: () => number;
  /** Cached fields by tenant and visibility. */
  readonly #fields = new LRUCache<string, CachedFields>({ max: maxCached });
  readonly surface = new TenantSurface('names of fields', {
    count: (tenant) => this.#keysOf(tenant).length,
    clear: (tenant) => this.#keysOf(tenant).forEach((key) => this.#fields.delete(key)),
  });

  /** `now` returns milliseconds that never decrease. */
  constructor(models: ReadModels, now: () => number = () => performance.now()) {
    this.#models = models;
    this.#now = now;
  }

  /** All fields, and the wanted values, including everything up to `minPosition`. */
  async read(
    caller: TenantContext,
    wanted: VocabularyRequest,
    { minPosition = 0, waitMs }: Wait = {},
  ): Promise<Vocabulary> {
    const visibility = countedFor(caller);
    if (visibility !== 'all' && visibility.length === 0) return { fields: [], values: [] };
    return this.#models.read({ projections: ['fields'], minPosition, waitMs }, async (view) => {
      const [fields, values] = await Promise.all([
        this.#fieldsOf(caller, view, minPosition),
        this.#valuesOf(caller, view, wanted),
      ]);
      return { fields, values };
    });
  }

  #keysOf(tenant: string): string[] {
    return [...this.#fields.keys()].filter((key) => key.startsWith(prefixOf(tenant)));
  }

  async #fieldsOf(
    caller: TenantContext,
    view: ReadView,
    minPosition: number,
  ): Promise<readonly KnownField[]> {
    const key = `${prefixOf(caller.tenant)}${JSON.stringify(countedFor(caller))}`;
    const cached = this.#fields.get(key);
    if (cached && cached.position >= minPosition && this.#isFresh(cached, view)) return cached.fields;
    const readAt = this.#now();
    const fields = await this.#readFields(caller, view);
    this.#fields.set(key, {
      fields,
      position: view.position,
      generation: view.generation('fields'),
      readAt,
    });
    return fields;
  }

  #isFresh({ position, generation, readAt }: CachedFields, view: ReadView): boolean {
    if (generation !== view.generation('fields')) return false;
    return position === view.position || this.#now() - readAt < maxAgeMs;
  }

  async #readFields(caller: TenantContext, view: ReadView): Promise<KnownField[]> {
    const parameters = new Parameters();
    const region = regionCondition(
      { tenant: caller.tenant, visibility: countedFor(caller) },
      'f',
      parameters,
    );
    const rows = await this.#models.sql.queryAs<KindRow>(
      caller.tenant,
      `select field, kind, sum(memories)::bigint as memories, count(*) as values
       from (select f.field, f.kind, f.value, sum(f.memories) as memories from ${view.table('fields')} f
             where ${region} group by f.field, f.kind, f.value) v
       group by field, kind order by field, kind`,
      parameters.values,
    );
    return Array.from(
      groupBy(rows, ({ field }) => field),
      ([field, own]): KnownField => ({
        field,
        kind: kindOfField(new Map(own.map(({ kind, memories }) => [kind, memories]))),
        memories: own.reduce((sum, { memories }) => sum + memories, 0),
        values: own.reduce((sum, { values }) => sum + values, 0),
      }),
    );
  }

  async #valuesOf(
    caller: TenantContext,
    view: ReadView,
    { keys, kinds }: VocabularyRequest,
  ): Promise<KnownValue[]> {
    const parameters = new Parameters();
    const region = regionCondition(
      { tenant: caller.tenant, visibility: countedFor(caller) },
      'f',
      parameters,
    );
    const keyed = `f.key = any (${parameters.bind([...keys])}::text[])`;
    // The kind is a literal, so a partial index can be used.
    const ordered = kinds.includes('version') ? `(${keyed} or f.kind = 'version')` : keyed;
    const rows = await this.#models.sql.queryAs<ValueRow>(
      caller.tenant,
      // Grouped as text, because comparing JSON takes ten times as long.
      `select f.field, f.text as value, f.key, sum(f.memories)::bigint as memories
       from (select f.field, f.key, f.value::text as text, f.memories from ${view.table('fields')} f where ${region} and ${ordered}) f
       group by f.field, f.key, f.text order by memories desc, f.field, f.key, f.text limit ${maxValues}`,
      parameters.values,
    );
    return rows.map(({ value, ...row }) => ({ ...row, value: JSON.parse(value) as FieldValue }));
  }
}

/**
 * The visibility by which the counts of the read model can be filtered. An agent that acts for nobody gets no values of
 * shared memories.
 */
function countedFor(caller: TenantContext): Visibility {
  return visibleInCounts(visible(caller));
}
