import type { TenantContext } from '../../domain/access/context.ts';
import type { BlockSource, SummaryCandidate } from '../../domain/context/block.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { Layer } from '../../domain/layers.ts';
import { relevanceOf } from '../../domain/ranking/score-scale.ts';
import { depths } from '../../domain/summaries/depths.ts';
import { extractive } from '../../domain/summaries/settings.ts';
import { summaryScopeKey } from '../../domain/summaries/summary-scope.ts';
import { statementsOf } from '../../domain/summaries/statements.ts';
import type { Sql } from '../../ports/sql.ts';
import type { ReadView } from '../read-models.ts';
import type { QueryVector } from '../search/query-vectors.ts';
import { isSilent } from '../summaries/scope-state.ts';
import { readSummaryRows, relevanceTo, type AskedRows, type PlacedRow } from '../summaries/summary-rows.ts';

/**
 * A summary matters if one of its depths has this score for the question. Fitted on everyday notes: a fifth of the scopes that hold the
 * answer pass, and 4 in 1,000 of the others. With .7, the limit for memories, a third and 2 in 100 would pass.
 */
const minScore = 0.74;
/** More than a context has room for, in case that some say nothing new. */
const maxCandidates = 8;
/** Each scope has a summary of each depth, and one may be replaced by a variant for the caller. */
const maxRead = 2 * depths.length * maxCandidates;

export interface RelevantSummary extends SummaryCandidate {
  readonly rows: readonly PlacedRow[];
}

export interface AskedLayers extends Pick<AskedRows, 'layers' | 'scope'> {
  /** The session in which the question is asked: its summary always matters. */
  readonly sessionId?: string | undefined;
  /** Layers of which the caller's own variants may be read. */
  readonly personalizedLayers: readonly Layer[];
}

/**
 * The summaries that matter for a question, most relevant first: those of the session or agent that it names, and those whose vector is
 * near to it. Statements from memories that were deleted, changed, superseded or refuted since are left out.
 */
export async function readRelevantSummaries(
  sql: Sql,
  view: ReadView,
  caller: TenantContext,
  asked: AskedLayers,
  vector: QueryVector | undefined,
): Promise<RelevantSummary[]> {
  const { layers, scope } = asked;
  const nearest = { layers, scope, near: vector, most: maxRead };
  const rows = await Promise.all([
    readSummaryRows(sql, view, caller, nearest),
    ...namedScopes(asked).map((one) => readSummaryRows(sql, view, caller, { ...nearest, ...one })),
    readVariants(sql, view, caller, nearest, asked),
  ]);
  const read = new Map(rows.flat().map((row) => [`${row.summary}/${row.depth}`, row]));
  const ofScopes = groupBy([...read.values()], ({ place }) => summaryScopeKey(place));
  const current = [...ofScopes.values()].flatMap((rows) => rows.filter(isNotReplaced));
  const all = groupBy(current, ({ summary }) => summary);
  const scored = [...all.values()].map((rows) => ({
    rows,
    isNamed: isNamed(rows[0]!, asked),
    relevance: vector
      ? Math.max(...rows.map(({ cosine }) => (cosine === null ? 0 : relevanceTo(vector, cosine))))
      : 0,
  }));
  const relevant = scored
    .filter((one) => one.isNamed || one.relevance >= relevanceOf(minScore))
    .sort((left, right) => Number(right.isNamed) - Number(left.isNamed) || right.relevance - left.relevance)
    .slice(0, maxCandidates)
    .map(({ rows }) => rows);
  const sources = await readSources(sql, view, caller.tenant, relevant.flat());
  return relevant.map((rows) => candidateOf(rows, sources));
}

/** The summaries that were personalised for the caller, as far as the settings of their layers allow it. */
async function readVariants(
  sql: Sql,
  view: ReadView,
  { user, ...caller }: TenantContext,
  rows: AskedRows,
  { sessionId: session, personalizedLayers }: AskedLayers,
): Promise<PlacedRow[]> {
  if (user === undefined || personalizedLayers.length === 0) return [];
  const persons = [{ user }, ...(session === undefined ? [] : [{ user, session }])];
  const found = await Promise.all(
    persons.map((person) => readSummaryRows(sql, view, { ...caller, user }, { ...rows, person })),
  );
  return found.flat().filter(({ layer }) => personalizedLayers.includes(layer));
}

/** Keeps the most personal summary of each scope that is not older than the one for everybody. */
function isNotReplaced(row: PlacedRow, _: number, others: readonly PlacedRow[]): boolean {
  const rank = rankOf(row);
  const common = others.find(({ place }) => !place.person);
  const isCurrent = (one: PlacedRow) => !common || one.generated_at >= common.generated_at;
  return isCurrent(row) && !others.some((other) => rankOf(other) > rank && isCurrent(other));
}

function rankOf({ place: { person } }: PlacedRow): number {
  return person === undefined ? 0 : person.session === undefined ? 1 : 2;
}

/** The session and the agent that a question names, each as a layer with its scope. */
function namedScopes({ layers, scope, sessionId: session = scope?.session }: AskedLayers): AskedRows[] {
  const agent = scope?.agent;
  const all: AskedRows[] = [
    ...(session === undefined ? [] : [{ layers: ['session' as const], scope: { ...scope, session } }]),
    ...(agent === undefined ? [] : [{ layers: ['agent' as const], scope: { ...scope, agent } }]),
  ];
  return all.filter((one) => !layers || layers.includes(one.layers![0]!));
}

function isNamed({ place }: PlacedRow, { scope, sessionId = scope?.session }: AskedLayers): boolean {
  const { layer } = place;
  if (layer === 'session') return sessionId !== undefined && place.scope.session === sessionId;
  return layer === 'agent' && scope?.agent !== undefined && place.scope.agent === scope.agent;
}

interface SourceRow extends Record<string, unknown> {
  readonly memory_id: string;
  readonly revision: number;
  readonly external_id: string | null;
}

/** Reads the quoted memories that are still active and not silent, by id. */
async function readSources(
  sql: Sql,
  view: ReadView,
  tenant: string,
  rows: readonly PlacedRow[],
): Promise<ReadonlyMap<string, SourceRow>> {
  const ids = [...new Set(rows.flatMap(({ sources }) => sources))];
  if (ids.length === 0) return new Map();
  const found = await sql.queryAs<SourceRow>(
    tenant,
    `select m.memory_id, m.revision, m.external_id from ${view.table('memories')} m
     where m.tenant = $1 and m.memory_id = any ($2::uuid[]) and m.to_position is null and m.state = 'active'
       and not ${isSilent(view, '$1', 'm')}`,
    [tenant, ids],
  );
  return new Map(found.map((row) => [row.memory_id, row]));
}

function candidateOf(rows: readonly PlacedRow[], known: ReadonlyMap<string, SourceRow>): RelevantSummary {
  const {
    summary: id,
    place: { layer, scope, person },
    generated_at: generatedAt,
  } = rows[0]!;
  const deepestFirst = rows.toSorted(
    (left, right) => depths.indexOf(right.depth) - depths.indexOf(left.depth),
  );
  return {
    id,
    layer,
    scope,
    ...(person && { forUser: person.user }),
    generatedAt: generatedAt.toISOString(),
    rows,
    versions: deepestFirst.map(({ depth, content, sources, facts: { revisions, model } }) => ({
      depth,
      statements: statementsOf(content, revisions.length, model !== extractive)
        .map(({ text, sources: cited }) => ({ text, cited }))
        .filter(({ cited }) => cited.every((at) => known.get(sources[at]!)?.revision === revisions[at]))
        .map(({ text, cited }) => ({ text, sources: cited.map((at) => sourceOf(known.get(sources[at]!)!)) })),
    })),
  };
}

function sourceOf({ memory_id: id, external_id: externalId }: SourceRow): BlockSource {
  return { id, ...(externalId !== null && { externalId }) };
}
