import { createHash } from 'node:crypto';
import type { Invalidation, SummaryEvent } from '../../domain/summaries/events.ts';
import type { Person } from '../../domain/summaries/summary-scope.ts';
import { embedEach, vectorIn, type Embedder, type Embedders } from '../../ports/embedder.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Row, type Tables } from '../../read-models/table.ts';
import { named, rowsWith } from '../holding.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { scopeColumnNames, scopeColumns, scopeRow } from '../scope-columns.ts';
import { nothing, remove, statement, together, type Write } from '../write.ts';
import { insertWithVectors } from '../vectors/vector-sql.ts';

type Generated = LoadedEvent<Extract<SummaryEvent, { type: 'SummaryGenerated' }>>;

const summaryRows = new Table('summaries', {
  columns: {
    tenant: 'text',
    summary: 'text',
    depth: 'text',
    ...scopeColumns,
    for_user: 'text?',
    for_session: 'text?',
    names_users: 'boolean',
    content: 'text',
    token_count: 'integer',
    source_hash: 'text',
    sources: 'text[]',
    generated_at: 'timestamptz',
    position: 'bigint',
    facts: 'jsonb',
    invalidated: 'text?',
  },
  key: ['tenant', 'summary', 'depth'],
  undigested: [
    ...scopeColumnNames,
    'for_user',
    'for_session',
    'names_users',
    'token_count',
    'generated_at',
    'facts',
  ],
});
/** Finds the summaries of all depths. */
const ofAllDepths = summaryRows.pick('tenant', 'summary');

type SummaryRow = Row<typeof summaryRows>;

/** SQL: whether a summary is of the scope `$2`, for everybody or for one user. */
const isOfScope = (summary: string): string => `(${summary} = $2 or starts_with(${summary}, $2 || '.'))`;

/** The current summaries of a scope, for everybody or for one user, within this batch; undefined until one is generated there. */
interface Progress {
  readonly tenant: string;
  /** Of the scope. */
  readonly scope: string;
  /** The same as `scope`, but of a variant for one user followed by a hash of whom it is for. */
  readonly summary: string;
  rows: readonly SummaryRow[] | undefined;
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
 * matter. A text that the model refuses has no vector. The vectors are made by the configured model. The ids in `sources` begin with those of the quoted memories, of which `facts`
 * has the revisions; a language model was shown the others too.
 */
export function summaries(embedders: Embedders): Projection<ReadonlyMap<string, Float32Array | undefined>> {
  const { id, dimension } = embedders.preferred;
  const embedder = embedders.of(id);
  if (!embedder) throw new RangeError(`no model ${id}`);
  return {
    name: 'summaries',
    version: 3,
    variant: id,
    handles: ['SummaryGenerated', 'SummaryInvalidated'],
    ...declaredBy(summaryRows),
    create: (tables) => summaryRows.create(tables, `context_vector vector(${dimension})`),
    prepare: (events) => embedTexts(embedder, events as readonly LoadedEvent<SummaryEvent>[]),
    plan: (events, _, tables, vectors) =>
      Promise.resolve(plan(events as readonly LoadedEvent<SummaryEvent>[], tables, vectors)),
    holds: (tables) => rowsWith([tables(summaryRows.name), named('sources')]),
  };
}

async function embedTexts(
  embedder: Embedder,
  events: readonly LoadedEvent<SummaryEvent>[],
): Promise<ReadonlyMap<string, Float32Array | undefined>> {
  const rows = progressOf(events).all.flatMap(({ rows = [] }) => rows);
  const texts = [...new Set(rows.map(({ content }) => content))];
  const outcomes = texts.length === 0 ? [] : await embedEach(embedder, texts, 'passage');
  return new Map(texts.map((text, index) => [text, vectorIn(outcomes[index])]));
}

function plan(
  events: readonly LoadedEvent<SummaryEvent>[],
  tables: Tables,
  vectors: ReadonlyMap<string, Float32Array | undefined>,
): Write {
  const { scopes, all } = progressOf(events);
  const replaced = all.filter(({ rows }) => rows !== undefined);
  const rows = replaced.flatMap(({ rows = [] }) => rows);
  return together(
    remove(tables(summaryRows.name), ofAllDepths, replaced),
    ...scopes.map(({ tenant, scope, erased }) => removeQuoting(tables, tenant, scope, erased)),
    ...scopes.map(({ tenant, scope, invalidated }) =>
      invalidated === undefined
        ? nothing
        : statement(
            `update ${tables(summaryRows.name)} set invalidated = $3 where tenant = $1 and ${isOfScope('summary')}`,
            [tenant, scope, invalidated],
          ),
    ),
    insertWithVectors(
      tables,
      summaryRows,
      rows,
      'context_vector',
      rows.map(({ content }) => vectors.get(content)),
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
): SummaryRow[] {
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
    facts: { ...facts, revisions: sources.map(({ revision }) => revision) },
    invalidated: undefined,
  }));
}

/** Removes the summaries of a scope, in all depths, if one of them quotes an erased memory. */
function removeQuoting(tables: Tables, tenant: string, scope: string, erased: readonly string[]): Write {
  if (erased.length === 0) return nothing;
  return statement(
    `delete from ${tables(summaryRows.name)} t where t.tenant = $1 and ${isOfScope('t.summary')} and exists (
       select 1 from ${tables(summaryRows.name)} s
       where s.tenant = t.tenant and s.summary = t.summary and s.position = t.position and s.sources && $3::text[])`,
    [tenant, scope, erased],
  );
}
