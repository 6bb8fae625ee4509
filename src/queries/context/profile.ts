import type { TenantContext } from '../../domain/access/context.ts';
import { isVisible, visible } from '../../domain/access/visibility.ts';
import type { ProfileCandidate } from '../../domain/context/block.ts';
import { factsAboutUser } from '../../domain/profile/facts-about-user.ts';
import { profileStatements, type Facts } from '../../domain/profile/statements.ts';
import { UserNames } from '../../domain/profile/user-names.ts';
import { depths } from '../../domain/summaries/depths.ts';
import { extractive } from '../../domain/summaries/settings.ts';
import { statementsOf } from '../../domain/summaries/statements.ts';
import { holdingSteps } from '../../domain/summaries/still-holding.ts';
import { successorSteps } from '../../domain/summaries/successors.ts';
import type { SummaryScope } from '../../domain/summaries/summary-scope.ts';
import { estimatedTokens } from '../../domain/text/passages.ts';
import { runInSlices } from '../../support/time-slice.ts';
import type { ReadView } from '../read-models.ts';
import { readNewestSources, type ScopeSource } from '../summaries/scope-sources.ts';
import { readScopeVectors, type VectorDependencies } from '../summaries/scope-vectors.ts';
import { readSummaryRows, type PlacedRow } from '../summaries/summary-rows.ts';

/** The newest memories of the user that are read. */
const maxMemories = 200;
/** More memories than a profile has room for. */
const maxQuoted = 60;
/** A longer memory, in estimated tokens, is quoted only as far as the summary of the user quotes it. */
const maxWholeLength = 60;

/**
 * What is stably true of a user: first what the summary of the user quotes, then other memories of the layer `user` by their importance,
 * each as far as it says something lasting about this user. None of them is superseded, surely replaced by a newer one, or called outdated
 * or inaccurate. Undefined if there is nothing.
 */
export async function readProfile(
  dependencies: VectorDependencies,
  view: ReadView,
  caller: TenantContext,
  { user, id }: { readonly user: string; readonly id: string },
): Promise<ProfileCandidate | undefined> {
  const place: SummaryScope = { layer: 'user', scope: { user } };
  if (!isVisible(visible(caller), place)) return undefined;
  const [sources, rows] = await Promise.all([
    readNewestSources(dependencies.models, view, caller.tenant, place, maxMemories),
    readSummaryRows(dependencies.models.sql, view, caller, { layers: ['user'], scope: { user } }),
  ]);
  const quoted = quotationsOf(rows);
  const facts = await runInSlices(factSteps(sources, user, quoted));
  const holding = await runInSlices(holdingSteps(byRank([...facts.keys()], quoted), place, sources));
  const told = holding.slice(0, maxQuoted);
  const vectors = told.length > 0 ? await readScopeVectors(dependencies, caller.tenant, sources) : undefined;
  const successors = vectors && (await runInSlices(successorSteps(told, place, vectors, sources)));
  const statements = profileStatements(told, facts, successors ?? new Map());
  return statements.length > 0 ? { id, ...place, statements } : undefined;
}

/** Finds what each memory says about the user, in steps. Memories that say nothing are left out. */
function* factSteps(
  sources: readonly ScopeSource[],
  user: string,
  quoted: ReadonlyMap<string, readonly string[]>,
): Generator<undefined, Facts<ScopeSource>, undefined> {
  const names = new UserNames(
    user,
    sources.map(({ content }) => content),
  );
  const facts = new Map<ScopeSource, readonly string[]>();
  for (const source of sources) {
    const texts = textsOf(source, quoted.get(source.id));
    const about = texts.flatMap((text) => factsAboutUser(text, source.time.toISOString(), names));
    if (about.length > 0) facts.set(source, about);
    yield;
  }
  return facts;
}

function byRank(
  sources: readonly ScopeSource[],
  quoted: ReadonlyMap<string, readonly string[]>,
): readonly ScopeSource[] {
  const ranks = new Map([...quoted.keys()].map((key, rank) => [key, rank]));
  const rankOf = ({ id }: ScopeSource) => ranks.get(id) ?? Infinity;
  return sources.toSorted(
    (left, right) =>
      Math.sign(rankOf(left) - rankOf(right)) ||
      right.importance - left.importance ||
      (left.id < right.id ? -1 : 1),
  );
}

/** Maps the id of each memory to what the summaries of the user quote of it. The memories of the shortest summary come first. */
function quotationsOf(rows: readonly PlacedRow[]): ReadonlyMap<string, string[]> {
  const quoted = new Map<string, string[]>();
  const shortestFirst = rows.toSorted(
    (left, right) => depths.indexOf(left.depth) - depths.indexOf(right.depth),
  );
  for (const {
    content,
    sources,
    facts: { revisions, model },
  } of shortestFirst)
    for (const { text, sources: cited } of statementsOf(content, revisions.length, model !== extractive)) {
      const id = cited.length === 1 ? sources[cited[0]!]! : undefined;
      if (id === undefined) continue;
      const texts = quoted.get(id) ?? [];
      if (!texts.includes(text)) quoted.set(id, [...texts, text]);
    }
  return quoted;
}

/** The whole text of a short memory; of a long one, the quotations that are still in it. */
function textsOf({ content }: ScopeSource, quoted: readonly string[] = []): readonly string[] {
  if (isShort(content)) return [content.trim()];
  return quoted.filter((text) => content.includes(text));
}

function isShort(content: string): boolean {
  const whole = content.trim();
  return estimatedTokens(whole, { start: 0, end: whole.length }) <= maxWholeLength;
}
