import type { Depth } from '../../domain/summaries/depths.ts';
import type { Invalidation, SummaryEvent } from '../../domain/summaries/events.ts';
import type { Embedder, Embedders } from '../../ports/embedder.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { digestOf } from '../digest.ts';
import { protect, type Projection, type Tables } from '../projection.ts';
import { Recordset } from '../recordset.ts';
import { scopeColumns, scopeColumnTypes, scopeRow } from '../scope-columns.ts';
import { nothing, remove, statement, type Write } from '../write.ts';
import { vectorArray } from '../vectors/vector-sql.ts';

type Generated = LoadedEvent<Extract<SummaryEvent, { type: 'SummaryGenerated' }>>;

const keys = { tenant: 'text', summary: 'text' } as const;
const columns = {
  ...keys,
  depth: 'text',
  ...scopeColumnTypes,
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
const scopes = new Recordset(keys);

interface Row {
  readonly depth: Depth;
  readonly content: string;
  readonly sources: readonly string[];
  readonly [column: string]: unknown;
}

/** The current summaries of a scope within this batch; undefined until one is generated there. */
interface Progress {
  readonly tenant: string;
  readonly summary: string;
  rows: readonly Row[] | undefined;
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
    version: 2,
    variant: id,
    handles: ['SummaryGenerated', 'SummaryInvalidated'],
    tables: ['summaries'],
    create: (tables) => [
      `create table ${tables('summaries')} (
        tenant text not null,
        summary text not null,
        depth text not null,
        ${scopeColumns},
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
  const rows = progressOf(events).flatMap(({ rows = [] }) => rows);
  const texts = [...new Set(rows.map(({ content }) => content))];
  const vectors = texts.length === 0 ? [] : await embedder.embed(texts, 'passage');
  return new Map(texts.map((text, index) => [text, vectors[index]!]));
}

function plan(
  events: readonly LoadedEvent<SummaryEvent>[],
  tables: Tables,
  vectors: ReadonlyMap<string, Float32Array>,
): Write {
  const all = progressOf(events);
  const replaced = all.filter(({ rows }) => rows !== undefined);
  const writes = [
    remove(tables('summaries'), scopes, replaced),
    ...all.map(({ tenant, summary, erased }) => removeQuoting(tables, tenant, summary, erased)),
    ...all.map(({ tenant, summary, invalidated }) =>
      invalidated === undefined
        ? nothing
        : statement(`update ${tables('summaries')} set invalidated = $3 where tenant = $1 and summary = $2`, [
            tenant,
            summary,
            invalidated,
          ]),
    ),
    insertWithVectors(
      tables('summaries'),
      replaced.flatMap(({ rows }) => rows!),
      vectors,
    ),
  ];
  return async (tx) => {
    for (const write of writes) await write(tx);
  };
}

function progressOf(events: readonly LoadedEvent<SummaryEvent>[]): Progress[] {
  const byStream = new Map<string, Progress>();
  for (const loaded of events) {
    const { stream, event, metadata } = loaded;
    let progress = byStream.get(stream);
    if (!progress) {
      const summary = stream.slice(stream.indexOf('.') + 1);
      progress = { tenant: metadata.tenant, summary, rows: undefined, erased: [], invalidated: undefined };
      byStream.set(stream, progress);
    }
    if (event.type === 'SummaryGenerated')
      progress.rows = loaded.erased ? [] : rowsOf(loaded as Generated, progress);
    else if (event.type === 'SummaryInvalidated') {
      const { memoryId, reason } = event.data;
      progress.invalidated = reason;
      progress.rows = progress.rows?.map((row) => ({ ...row, invalidated: reason }));
      if (reason !== 'erased') continue;
      progress.erased.push(memoryId);
      // All texts of an event have the same key, so all of them are gone.
      if (progress.rows?.some(({ sources }) => sources.includes(memoryId))) progress.rows = [];
    }
  }
  return [...byStream.values()];
}

function rowsOf({ event: { data }, time, position }: Generated, { tenant, summary }: Progress): Row[] {
  const { layer, scope, summaries, texts, namesUsers, sourceHash, shown = [], ...facts } = data;
  return summaries.map(({ depth, tokenCount, sources }, index) => ({
    tenant,
    summary,
    depth,
    ...scopeRow(layer, scope),
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
function removeQuoting(tables: Tables, tenant: string, summary: string, erased: readonly string[]): Write {
  if (erased.length === 0) return nothing;
  return statement(
    `delete from ${tables('summaries')} t where t.tenant = $1 and t.summary = $2 and exists (
       select 1 from ${tables('summaries')} s
       where s.tenant = t.tenant and s.summary = t.summary and s.position = t.position and s.sources && $3::text[])`,
    [tenant, summary, erased],
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
