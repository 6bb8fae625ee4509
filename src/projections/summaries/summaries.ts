import { createHash } from 'node:crypto';
import type { Depth } from '../../domain/summaries/depths.ts';
import type { Invalidation, SummaryEvent } from '../../domain/summaries/events.ts';
import type { Person } from '../../domain/summaries/summary-scope.ts';
import type { Embedder, Embedders } from '../../ports/embedder.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { digestOf } from '../../read-models/digest.ts';
import { rowsWith } from '../holding.ts';
import type { Projection } from '../projection.ts';
import { protect, type Tables } from '../../read-models/table.ts';
import { Recordset } from '../../read-models/recordset.ts';
import { scopeColumns, scopeColumnTypes, scopeRow } from '../scope-columns.ts';
import { nothing, remove, statement, together, type Write } from '../write.ts';
import { vectorArray } from '../vectors/vector-sql.ts';

type Generated = LoadedEvent<Extract<SummaryEvent, { type: 'SummaryGenerated' }>>;

const keys = { tenant: 'text', summary: 'text' } as const;
const columns = {
  ...keys,
  depth: 'text',
  ...scopeColumnTypes,
  for_user: 'text',
  for_session: 'text',
  names_users: 'boolean',
  content: 'text',
  token_count: 'integer',
  source_hash: 'text',
  sources: 'text[]',
  generated_at: 'timestamptz',
  position: 'bigint',
  facts: 'json',
  invalidated: 'text',
} as const;
const added = new Recordset(columns);
const summaryKeys = new Recordset(keys);

/** SQL: whether a summary is of the scope `$2`, for everybody or for one user. */
const isOfScope = (summary: string): string => `(${summary} = $2 or starts_with(${summary}, $2 || '.'))`;

interface Row {
  readonly depth: Depth;
  readonly content: string;
  readonly sources: readonly string[];
  readonly [column: string]: unknown;
}

/** The current summaries of a scope, for everybody or for one user, within this batch; undefined until one is generated there. */
interface Progress {
  readonly tenant: string;
  /** Of the scope. */
  readonly scope: string;
  /** The same as `scope`, but of a variant for one user followed by a hash of whom it is for. */
  readonly summary: string;
  rows: readonly Row[] | undefined;
}

/** What happened to all summaries of a scope in this batch. */
interface ScopeProgress {
  readonly tenant: string;
  readonly scope: string;
  readonly erased: string[];
  /** Why the summaries before this batch no longer hold. */
  invalidated: Invalidation | undefined;
}

/**
 * The latest summaries of each scope, one row for each depth, with a vector of the text by which a question finds the layers that
 * matter. The vectors are made by the configured model. The ids in `sources` begin with those of the quoted memories, of which `facts`
 * has the revisions; a language model was shown the others too.
 */
export function summaries(embedders: Embedders): Projection<ReadonlyMap<string, Float32Array>> {
  const { id, dimension } = embedders.preferred;
  const embedder = embedders.of(id);
  if (!embedder) throw new RangeError(`no model ${id}`);
  return {
    name: 'summaries',
    version: 3,
    variant: id,
    handles: ['SummaryGenerated', 'SummaryInvalidated'],
    tables: ['summaries'],
    create: (tables) => [
      `create table ${tables('summaries')} (
        tenant text not null,
        summary text not null,
        depth text not null,
        ${scopeColumns},
        for_user text,
        for_session text,
        names_users boolean not null,
        content text not null,
        token_count integer not null,
        source_hash text not null,
        sources text[] not null,
        generated_at timestamptz not null,
        position bigint not null,
        facts jsonb not null,
        invalidated text,
        context_vector vector(${dimension}) not null,
        primary key (tenant, summary, depth)
      )`,
      ...protect(tables('summaries')),
    ],
    prepare: (events) => embedTexts(embedder, events as readonly LoadedEvent<SummaryEvent>[]),
    plan: (events, _, tables, vectors) =>
      Promise.resolve(plan(events as readonly LoadedEvent<SummaryEvent>[], tables, vectors)),
    holds: (tables) => rowsWith([tables('summaries'), '$2::text = any(sources)']),
    digest: (tables) =>
      digestOf(tables('summaries'), {
        ...keys,
        depth: 'text',
        content: 'text',
        source_hash: 'text',
        sources: 'text[]',
        position: 'bigint',
        invalidated: 'text',
      }),
  };
}

async function embedTexts(
  embedder: Embedder,
  events: readonly LoadedEvent<SummaryEvent>[],
): Promise<ReadonlyMap<string, Float32Array>> {
  const rows = progressOf(events).all.flatMap(({ rows = [] }) => rows);
  const texts = [...new Set(rows.map(({ content }) => content))];
  const vectors = texts.length === 0 ? [] : await embedder.embed(texts, 'passage');
  return new Map(texts.map((text, index) => [text, vectors[index]!]));
}

function plan(
  events: readonly LoadedEvent<SummaryEvent>[],
  tables: Tables,
  vectors: ReadonlyMap<string, Float32Array>,
): Write {
  const { scopes, all } = progressOf(events);
  const replaced = all.filter(({ rows }) => rows !== undefined);
  return together(
    remove(tables('summaries'), summaryKeys, replaced),
    ...scopes.map(({ tenant, scope, erased }) => removeQuoting(tables, tenant, scope, erased)),
    ...scopes.map(({ tenant, scope, invalidated }) =>
      invalidated === undefined
        ? nothing
        : statement(
            `update ${tables('summaries')} set invalidated = $3 where tenant = $1 and ${isOfScope('summary')}`,
            [tenant, scope, invalidated],
          ),
    ),
    insertWithVectors(
      tables('summaries'),
      replaced.flatMap(({ rows }) => rows!),
      vectors,
    ),
  );
}

function progressOf(events: readonly LoadedEvent<SummaryEvent>[]): {
  readonly scopes: readonly ScopeProgress[];
  readonly all: readonly Progress[];
} {
  const scopes = new Map<string, ScopeProgress>();
  const all = new Map<string, Progress>();
  for (const loaded of events) {
    const { stream, event, metadata } = loaded;
    const { tenant } = metadata;
    const scope = stream.slice(stream.indexOf('.') + 1);
    if (event.type === 'SummaryGenerated') {
      const summary = `${scope}${suffixOf(event.data.person)}`;
      const progress = { tenant, scope, summary, rows: undefined };
      const rows = loaded.erased ? [] : rowsOf(loaded as Generated, progress);
      all.set(`${tenant}/${summary}`, { ...progress, rows });
    } else if (event.type === 'SummaryInvalidated') {
      const { memoryId, reason } = event.data;
      const known = scopes.get(stream) ?? { tenant, scope, erased: [], invalidated: undefined };
      scopes.set(stream, { ...known, invalidated: reason });
      if (reason === 'erased') known.erased.push(memoryId);
      for (const progress of all.values()) {
        if (progress.tenant !== tenant || progress.scope !== scope) continue;
        progress.rows = progress.rows?.map((row) => ({ ...row, invalidated: reason }));
        // All texts of an event have the same key, so all of them are gone.
        if (reason === 'erased' && progress.rows?.some(({ sources }) => sources.includes(memoryId)))
          progress.rows = [];
      }
    }
  }
  return { scopes: [...scopes.values()], all: [...all.values()] };
}

function suffixOf(person: Person | undefined): string {
  if (!person) return '';
  const { user, session = null } = person;
  return `.${createHash('sha256')
    .update(JSON.stringify([user, session]))
    .digest('hex')
    .slice(0, 16)}`;
}

function rowsOf(
  { event: { data }, time, position }: Generated,
  { tenant, summary }: Pick<Progress, 'tenant' | 'summary'>,
): Row[] {
  const { layer, scope, person, summaries, texts, namesUsers, sourceHash, shown = [], ...facts } = data;
  return summaries.map(({ depth, tokenCount, sources }, index) => ({
    tenant,
    summary,
    depth,
    ...scopeRow(layer, scope),
    for_user: person?.user,
    for_session: person?.session,
    names_users: namesUsers,
    content: texts[index]!,
    token_count: tokenCount,
    source_hash: sourceHash,
    sources: [...new Set([...sources.map(({ id }) => id), ...shown])],
    generated_at: time,
    position,
    facts: JSON.stringify({ ...facts, revisions: sources.map(({ revision }) => revision) }),
  }));
}

/** Removes the summaries of a scope, in all depths, if one of them quotes an erased memory. */
function removeQuoting(tables: Tables, tenant: string, scope: string, erased: readonly string[]): Write {
  if (erased.length === 0) return nothing;
  return statement(
    `delete from ${tables('summaries')} t where t.tenant = $1 and ${isOfScope('t.summary')} and exists (
       select 1 from ${tables('summaries')} s
       where s.tenant = t.tenant and s.summary = t.summary and s.position = t.position and s.sources && $3::text[])`,
    [tenant, scope, erased],
  );
}

function insertWithVectors(
  table: string,
  rows: readonly Row[],
  vectors: ReadonlyMap<string, Float32Array>,
): Write {
  if (rows.length === 0) return nothing;
  const { array, bound } = vectorArray(
    rows.map(({ content }) => vectors.get(content)),
    added.size,
  );
  return statement(
    `insert into ${table} (${added.names}, context_vector)
     select ${added.names}, context_vector from ${added.as('added', { name: 'context_vector', array })}`,
    [...added.bind(rows), ...bound],
  );
}
