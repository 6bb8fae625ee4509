import { importanceOf } from '../domain/learning/memory-value.ts';
import type { RoutePolicyEvent } from '../domain/learning/policy-events.ts';
import { emptyHistory, evolve } from '../domain/learning/policy-history.ts';
import type { Layer } from '../domain/layers.ts';
import { differencesOf } from '../domain/retrieval/answer-differences.ts';
import { routePolicyStream } from '../domain/streams.ts';
import type { Depth } from '../domain/summaries/depths.ts';
import type { LeftOut } from '../domain/what-if/left-out.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { PastQueries } from '../queries/past.ts';
import type { PerformedSearch } from '../queries/replay/replayed-search.ts';
import { scopeIn } from '../queries/scope-sql.ts';
import {
  maxWhatIfEntries,
  type ChangedPolicy,
  type ChangedSummary,
  type ChangedValue,
  type WhatIfAnswer,
  type WhatIfQuestion,
} from '../queries/what-if.ts';

/** The queries with all events and without some, at the same position. */
export interface Both {
  readonly before: PastQueries;
  readonly after: PastQueries;
}

/** Asks a question in both, as of the position that they stand at. */
export async function compareAnswers(
  { before, after }: Both,
  { searchId, position, caller, asked, options }: WhatIfQuestion,
  leftOut: LeftOut,
): Promise<WhatIfAnswer> {
  const answerOf = async ({ search }: PastQueries): Promise<PerformedSearch> => {
    const { fact } = await search.search(caller, { ...asked, asOf: position }, options);
    return fact.events.find((event) => event.type === 'SearchPerformed')!.data;
  };
  const answers = { before: await answerOf(before), after: await answerOf(after) };
  const differences = differencesOf(answers.before.results, answers.after.results);
  return {
    searchId,
    position,
    ...answers,
    differences: differences.map((one) => ({
      ...one,
      cause: leftOut.memories.has(one.id) ? 'left-out' : 'follows',
    })),
  };
}

interface SummaryRow extends Record<string, unknown> {
  readonly summary: string;
  readonly depth: Depth;
  readonly layer: Layer;
  readonly for_user: string | null;
  readonly sources: readonly string[];
  readonly generated_at: Date;
  readonly position: number;
}

/** The summaries of the tenant that are not there without the events, or are older ones. */
export async function compareSummaries(
  { before, after }: Both,
  tenant: string,
  leftOut: LeftOut,
): Promise<readonly ChangedSummary[]> {
  const rowsOf = ({ models }: PastQueries) =>
    models.read({ projections: ['summaries'] }, (view) =>
      models.sql.queryAs<SummaryRow>(
        tenant,
        `select * from ${view.table('summaries')} where tenant = $1 order by layer, summary, depth`,
        [tenant],
      ),
    );
  const [all, left] = await Promise.all([rowsOf(before), rowsOf(after)]);
  const keyOf = ({ summary, depth }: SummaryRow) => `${summary}/${depth}`;
  const known = new Map(left.map((row) => [keyOf(row), row]));
  return all
    .filter((row) => known.get(keyOf(row))?.position !== row.position)
    .slice(0, maxWhatIfEntries)
    .map((row) => ({
      layer: row.layer,
      scope: scopeIn(row),
      depth: row.depth,
      personalized: row.for_user !== null,
      generatedAt: row.generated_at.toISOString(),
      leftOut: row.sources.filter((id) => leftOut.memories.has(id)),
      instead: known.get(keyOf(row))?.generated_at.toISOString(),
    }));
}

/** The memories whose value differs, the most different first. */
export async function compareValues(
  { before, after }: Both,
  tenant: string,
  leftOut: LeftOut,
): Promise<readonly ChangedValue[]> {
  const valuesOf = async ({ models }: PastQueries) => {
    const rows = await models.read({ projections: ['values'] }, (view) =>
      models.sql.queryAs<{ readonly memory_id: string; readonly uses: number; readonly expected: number }>(
        tenant,
        `select memory_id, sum(uses)::float8 as uses, sum(expected)::float8 / 1000000 as expected
         from ${view.table('values')} where tenant = $1 group by memory_id`,
        [tenant],
      ),
    );
    return new Map(rows.map(({ memory_id: id, ...use }) => [id, importanceOf(use)]));
  };
  const [all, left] = await Promise.all([valuesOf(before), valuesOf(after)]);
  const neutral = importanceOf({ uses: 0, expected: 0 });
  return [...new Set([...all.keys(), ...left.keys()])]
    .filter((id) => !leftOut.memories.has(id))
    .map((memoryId) => ({
      memoryId,
      before: all.get(memoryId) ?? neutral,
      after: left.get(memoryId) ?? neutral,
    }))
    .filter((value) => value.before !== value.after)
    .sort((one, other) => Math.abs(other.before - other.after) - Math.abs(one.before - one.after))
    .slice(0, maxWhatIfEntries);
}

/** The versions of the route policy at a position that have learned from what is left out. They are not trained again. */
export async function affectedPolicies(
  store: EventStore,
  tenant: string,
  upTo: number,
  leftOut: LeftOut,
): Promise<readonly ChangedPolicy[]> {
  const loaded = await store.load<RoutePolicyEvent>(routePolicyStream(tenant));
  const events = loaded.filter(({ position }) => position <= upTo);
  const { incumbent, versions } = events.reduce((history, event) => evolve(history, event), emptyHistory);
  let [decisions, affected] = [0, 0];
  const learned = new Map<string, Pick<ChangedPolicy, 'decisions' | 'leftOut'>>();
  for (const { event } of events) {
    if (event.type !== 'PolicyUpdated') continue;
    decisions += event.data.consumed.length;
    affected += event.data.consumed.filter(({ searchId }) => leftOut.searches.has(searchId)).length;
    learned.set(event.data.version, { decisions, leftOut: affected });
  }
  const shown = new Set([...versions.map(({ policy }) => policy.version), incumbent.version]);
  return [...shown].flatMap((version) => {
    const own = learned.get(version);
    return own && own.leftOut > 0 ? [{ version, inForce: version === incumbent.version, ...own }] : [];
  });
}
